import type { Element, Root } from 'hast'
import { namesNobody } from './mentions.ts'
import { languageOf, piecesOf } from './tree.ts'

/** Whether nothing in a tree is rendered differently later: it mentions nobody, and no code has a language. */
export const isStill = (parent: Root | Element, mentions: boolean): boolean =>
  piecesOf(parent).every((piece) =>
    piece.type === 'text'
      ? !mentions || !piece.value.includes('@')
      : languageOf(piece) === undefined && isStill(piece, mentions && !namesNobody(piece)),
  )

/** The nodes of a tree that stays as it is: without components for its parts, of which a page shows hundreds. */
export function drawn(parent: Root | Element): DocumentFragment {
  const fragment = document.createDocumentFragment()
  for (const piece of piecesOf(parent)) fragment.append(piece.type === 'text' ? piece.value : elementOf(piece))
  return fragment
}

function elementOf(piece: Element): HTMLElement {
  const element = document.createElement(piece.tagName)
  const { href, start } = piece.properties
  if (element instanceof HTMLAnchorElement) {
    if (typeof href === 'string') element.href = href
    element.target = '_blank'
    element.rel = 'noopener noreferrer nofollow'
  }
  if (element instanceof HTMLOListElement && typeof start === 'number') element.start = start
  element.append(drawn(piece))
  return element
}

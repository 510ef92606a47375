import type { Element, Root } from 'hast'
import { ignoresMentions } from './mentions.ts'
import { languageOf, piecesOf } from './tree.ts'

/**
 * Whether the rendering of a tree never changes: it has no code to highlight and, with `mentions`, no "@" that may
 * begin a mention.
 */
export const isStatic = (parent: Root | Element, mentions: boolean): boolean =>
  piecesOf(parent).every((piece) =>
    piece.type === 'text'
      ? !mentions || !piece.value.includes('@')
      : languageOf(piece) === undefined && isStatic(piece, mentions && !ignoresMentions(piece)),
  )

/** Creates the DOM nodes of a static tree. Components would be too slow: a page shows hundreds of messages. */
export function renderTree(parent: Root | Element): DocumentFragment {
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
  element.append(renderTree(piece))
  return element
}

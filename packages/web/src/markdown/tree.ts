import type { Element, Root, RootContent, Text } from 'hast'
import { sanitize, type Schema } from 'hast-util-sanitize'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmAutolinkLiteralFromMarkdown } from 'mdast-util-gfm-autolink-literal'
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough'
import { toHast } from 'mdast-util-to-hast'
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal'
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough'
import { withEscapedSigns } from './mentions.ts'
import { simpleTreeOf } from './simple.ts'

const extensions = [gfmStrikethrough(), gfmAutolinkLiteral(), { disable: { null: ['htmlFlow', 'htmlText'] } }]
const mdastExtensions = [gfmStrikethroughFromMarkdown(), gfmAutolinkLiteralFromMarkdown()]

/** Elements allowed in messages. Images are not, because other servers would learn who reads the message. */
const schema: Schema = {
  tagNames: [
    ...['p', 'br', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'hr'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ],
  attributes: { a: ['href'], ol: ['start'], code: [['className', /^language-./]] },
  protocols: { href: ['http', 'https', 'mailto'] },
  strip: ['script'],
}

const maxCached = 1_000
const cache = new Map<string, Root>()

export type Piece = Element | Text

/** Parses a message's Markdown. No HTML string is created, so a message cannot inject HTML. */
export function treeOf(body: string): Root {
  const known = cache.get(body)
  if (known) return known
  const tree = simpleTreeOf(body) ?? parsedTreeOf(body)
  if (cache.size >= maxCached) cache.clear()
  cache.set(body, tree)
  return tree
}

export function parsedTreeOf(body: string): Root {
  const markdown = fromMarkdown(body, {
    extensions,
    mdastExtensions: [withEscapedSigns(body), ...mdastExtensions],
  })
  return sanitize(toHast(markdown), schema) as Root
}

export function languageOf({ tagName, properties }: Element): string | undefined {
  if (tagName !== 'code' || !Array.isArray(properties.className)) return undefined
  return String(properties.className[0]).replace('language-', '').toLowerCase()
}

export const textOf = (element: Element): string =>
  piecesOf(element)
    .map((piece) => (piece.type === 'text' ? piece.value : textOf(piece)))
    .join('')

/** The plain text of a message, in one line. */
export function plainOf(body: string): string {
  const wordsIn = (parent: Root | Element): string =>
    piecesOf(parent)
      .map((piece) => (piece.type === 'text' ? piece.value : wordsIn(piece)))
      .join(parent.type === 'element' && inline.has(parent.tagName) ? '' : ' ')
  return wordsIn(treeOf(body)).replaceAll(/\s+/g, ' ').trim()
}

const inline = new Set(['p', 'em', 'strong', 'del', 'code', 'pre', 'a', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/**
 * The parts of an element or tree. Line breaks that the author wrote are kept; those that only separate elements of the
 * tree are dropped.
 */
export function piecesOf(parent: Root | Element): Piece[] {
  const { children }: { children: readonly RootContent[] } = parent
  const isInline = parent.type === 'element' && inline.has(parent.tagName)
  return children.filter((child, at): child is Piece => {
    if (child.type === 'element') return true
    if (child.type !== 'text') return false
    const before = children[at - 1]
    const maySeparate = isInline ? before?.type === 'element' && before.tagName === 'br' : true
    return !(maySeparate && child.value.trim() === '')
  })
}

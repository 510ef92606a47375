import type { Labels } from './definitions.ts'

/**
 * The destination and title of an inline link, directly after its text. White space must have been collapsed to single
 * spaces, which keeps the match fast.
 */
const target =
  /\( ?(?:<[^<>]*>|(?!<)(?:\\.|[^\\\s()]|\((?:\\.|[^\\\s()])*\))*)(?: (?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))? ?\)/y

/** The label of a reference link, directly after its text. */
const reference = /\[((?:\\.|[^\\[\]])*)\]/y

/** Web addresses, including the path after a host name: `example.org/@ann`. */
const webAddress =
  /(?<![\p{L}\p{N}+.-])(?:[a-z][a-z\d+.-]*:\/\/|www\.|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+[/?#])[^\s<>]*/giu

/**
 * Returns the text of a paragraph with a space in place of each link, image and web address, and of each run of white
 * space. The paragraph must not contain code spans any more.
 */
export function removeLinks(paragraph: string, labels: Labels): string {
  const text = paragraph.replace(/\s+/g, ' ')
  let prose = ''
  let from = 0
  for (const link of text.includes(']') ? linksIn(text, labels) : []) {
    prose += `${text.slice(from, link.from)} `
    from = link.to
  }
  return (prose + text.slice(from)).replace(webAddress, ' ')
}

type TextRange = { from: number; to: number }

/** Finds links and images, from left to right. A link contains no other link; an image may. */
function linksIn(text: string, labels: Labels): TextRange[] {
  const links: TextRange[] = []
  const openings: number[] = []
  const bracket = /\\.|[[\]]/g
  for (let found = bracket.exec(text); found; found = bracket.exec(text)) {
    if (found[0] === '[') openings.push(found.index)
    if (found[0] !== ']') continue
    const opening = openings.pop()
    if (opening === undefined) continue
    const to = endOfLink(text, { from: opening, to: bracket.lastIndex }, labels)
    if (to === undefined) continue
    const from = text[opening - 1] === '!' ? opening - 1 : opening
    while ((links.at(-1)?.from ?? -1) > from) links.pop()
    links.push({ from, to })
    bracket.lastIndex = to
    if (from === opening) openings.length = 0
  }
  return links
}

/** The end of the link whose bracketed text is given; undefined if it is not a link. */
function endOfLink(text: string, { from, to }: TextRange, labels: Labels): number | undefined {
  target.lastIndex = to
  if (target.test(text)) return target.lastIndex
  reference.lastIndex = to
  const label = reference.exec(text)?.[1]
  if (labels.has(label || text.slice(from + 1, to - 1))) return label === undefined ? to : reference.lastIndex
  return undefined
}

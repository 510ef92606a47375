import type { Labels } from './definitions.ts'

/**
 * The destination and title of an inline link, directly after its text. Runs of spaces were collapsed, which keeps the
 * match fast.
 */
const target =
  /\( ?(?:<[^<>]*>|(?!<)(?:\\.|[^\\\s()]|\((?:\\.|[^\\\s()])*\))*)(?: (?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))? ?\)/y

/** The label of a reference, directly after the text of a link. */
const reference = /\[((?:\\.|[^\\[\]])*)\]/y

/** Web addresses, including the path after a host name: `example.org/@ann`. */
const address =
  /(?<![\p{L}\p{N}+.-])(?:[a-z][a-z\d+.-]*:\/\/|www\.|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+[/?#])[^\s<>]*/giu

/** The text of a paragraph without code spans, with a space in place of each link, image and address. */
export function withoutLinks(paragraph: string, labels: Labels): string {
  const text = paragraph.replace(/\s+/g, ' ')
  let prose = ''
  let from = 0
  for (const link of text.includes(']') ? linksIn(text, labels) : []) {
    prose += `${text.slice(from, link.from)} `
    from = link.to
  }
  return (prose + text.slice(from)).replace(address, ' ')
}

type Stretch = { from: number; to: number }

/** From left to right. A link contains no other link; an image may. */
function linksIn(text: string, labels: Labels): Stretch[] {
  const links: Stretch[] = []
  const openings: number[] = []
  const bracket = /\\.|[[\]]/g
  for (let found = bracket.exec(text); found; found = bracket.exec(text)) {
    if (found[0] === '[') openings.push(found.index)
    if (found[0] !== ']') continue
    const opening = openings.pop()
    if (opening === undefined) continue
    const to = endOfTarget(text, { from: opening, to: bracket.lastIndex }, labels)
    if (to === undefined) continue
    const from = text[opening - 1] === '!' ? opening - 1 : opening
    while ((links.at(-1)?.from ?? -1) > from) links.pop()
    links.push({ from, to })
    bracket.lastIndex = to
    if (from === opening) openings.length = 0
  }
  return links
}

/** End of a link whose text is in brackets; undefined when it is not a link. */
function endOfTarget(text: string, { from, to }: Stretch, labels: Labels): number | undefined {
  target.lastIndex = to
  if (target.test(text)) return target.lastIndex
  reference.lastIndex = to
  const label = reference.exec(text)?.[1]
  if (labels.has(label || text.slice(from + 1, to - 1))) return label === undefined ? to : reference.lastIndex
  return undefined
}

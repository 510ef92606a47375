import type { Labels } from './definitions.ts'

/**
 * Destination and title of an inline link, directly after its text. Runs of white space must be collapsed first, which
 * keeps the match fast.
 */
const target =
  /\( ?(?:<[^<>]*>|(?!<)(?:\\.|[^\\\s()]|\((?:\\.|[^\\\s()])*\))*)(?: (?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))? ?\)/y

const reference = /\[((?:\\.|[^\\[\]])*)\]/y

const webAddress =
  /(?<![\p{L}\p{N}+.-])(?:[a-z][a-z\d+.-]*:\/\/|www\.|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+[/?#])[^\s<>]*/giu

/**
 * Replaces each link, image, web address and run of white space with a space. Expects a paragraph without code spans.
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

function endOfLink(text: string, { from, to }: TextRange, labels: Labels): number | undefined {
  target.lastIndex = to
  if (target.test(text)) return target.lastIndex
  reference.lastIndex = to
  const label = reference.exec(text)?.[1]
  if (labels.has(label || text.slice(from + 1, to - 1))) return label === undefined ? to : reference.lastIndex
  return undefined
}

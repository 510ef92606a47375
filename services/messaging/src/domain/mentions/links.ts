/** An inline link's destination and title, right behind its text. Runs of spaces are single here, so that it reads fast. */
const target =
  /\( ?(?:<[^<>]*>|(?!<)(?:\\.|[^\\\s()]|\((?:\\.|[^\\\s()])*\))*)(?: (?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))? ?\)/y

/** Web addresses, and what stands behind the name of a host: `example.org/@ann`. */
const address =
  /(?<![\p{L}\p{N}+.-])(?:[a-z][a-z\d+.-]*:\/\/|www\.|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+[/?#])[^\s<>]*/giu

/** The text of a paragraph without code spans, with a space in place of each inline link, image and address. */
export function withoutLinks(paragraph: string): string {
  const text = paragraph.replace(/\s+/g, ' ')
  let prose = ''
  let from = 0
  for (const link of text.includes('](') ? linksIn(text) : []) {
    prose += `${text.slice(from, link.from)} `
    from = link.to
  }
  return (prose + text.slice(from)).replace(address, ' ')
}

type Stretch = { from: number; to: number }

/** From left to right. A link holds no other link, an image may. */
function linksIn(text: string): Stretch[] {
  const links: Stretch[] = []
  const openings: number[] = []
  const bracket = /\\.|[[\]]/g
  for (let found = bracket.exec(text); found; found = bracket.exec(text)) {
    if (found[0] === '[') openings.push(found.index)
    if (found[0] !== ']') continue
    const opening = openings.pop()
    target.lastIndex = bracket.lastIndex
    if (opening === undefined || !target.test(text)) continue
    const from = text[opening - 1] === '!' ? opening - 1 : opening
    while ((links.at(-1)?.from ?? -1) > from) links.pop()
    links.push({ from, to: target.lastIndex })
    bracket.lastIndex = target.lastIndex
    if (from === opening) openings.length = 0
  }
  return links
}

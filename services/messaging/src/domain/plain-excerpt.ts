const maxCharacters = 100

const fence = /^\s*(?:`{3,}|~{3,})/
const rule = /^\s*(?:([-*_=])\s*(?:\1\s*)+)$/
const markers = /^(?:\s*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s)|#{1,6}(?=\s)))*\s*/
const escaped = /\\([!-/:-@[-`{-~])/g
/** Holds escaped characters while the marks around them are removed. */
const privateUseArea = 0xe000
const privateUse = /[\ue021-\ue07e]/g

/**
 * The beginning of a message on one line, without Markdown marks: at most 100 characters, ending between grapheme
 * clusters unless the first alone is longer. Constructs that need a full parser stay as written.
 */
export function plainExcerpt(markdown: string): string {
  let inCode = false
  const lines: string[] = []
  for (const line of markdown.split(/\r\n|\n|\r/)) {
    if (fence.test(line)) inCode = !inCode
    else if (inCode) lines.push(line)
    else if (!rule.test(line)) lines.push(plainLine(line.replace(markers, '')))
  }
  return truncate(lines.join(' ').replace(/\s+/gu, ' ').trim())
}

function plainLine(line: string): string {
  const unescaped = line
    .replace(privateUse, '\ufffd')
    .replace(escaped, (_, character: string) => String.fromCharCode(privateUseArea + character.charCodeAt(0)))
  const parts = unescaped.split(/(`+)/)
  let plain = ''
  let prose = ''
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? ''
    const end = part.startsWith('`') ? parts.indexOf(part, at + 1) : -1
    if (end < 0) {
      prose += part
      continue
    }
    plain += plainProse(prose) + restore(parts.slice(at + 1, end).join(''), '\\')
    prose = ''
    at = end
  }
  return plain + plainProse(prose)
}

const plainProse = (prose: string): string =>
  restore(
    removeEmphasis(
      prose
        .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)/g, '$1')
        .replace(/<((?:https?:\/\/|mailto:)[^<>\s]*)>/g, '$1'),
    ),
    '',
  )

/** `before`: in code, the backslash. */
const restore = (text: string, before: string): string =>
  text.replace(privateUse, (character) => before + String.fromCharCode(character.charCodeAt(0) - privateUseArea))

function removeEmphasis(text: string): string {
  const parts = text.split(/(\*+|_+|~~)/)
  const open = new Map<string, number[]>()
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0) continue
    const [before, after] = [parts[at - 1] || (parts[at - 2] ?? ' '), parts[at + 1] || (parts[at + 2] ?? ' ')]
    const inWord = part.startsWith('_') && /[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(after)
    if (inWord) continue
    const opened = open.get(part)
    if (!/\s$/u.test(before) && opened?.length) {
      parts[opened.pop() ?? at] = ''
      parts[at] = ''
    } else if (!/^\s/u.test(after)) open.set(part, [...(opened ?? []), at])
  }
  return parts.join('')
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

function truncate(text: string): string {
  let characters = 0
  let length = 0
  for (const { segment, index } of graphemes.segment(text)) {
    characters += [...segment].length
    if (characters > maxCharacters) break
    length = index + segment.length
  }
  return length > 0 ? text.slice(0, length).trimEnd() : [...text].slice(0, maxCharacters).join('')
}

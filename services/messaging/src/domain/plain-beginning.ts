const maxCharacters = 100

const fence = /^\s*(?:`{3,}|~{3,})/
const rule = /^\s*(?:([-*_=])\s*(?:\1\s*)+)$/
/** Quotes, list items and headings; they may be nested. */
const marks = /^(?:\s*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s)|#{1,6}(?=\s)))*\s*/
const escaped = /\\([!-/:-@[-`{-~])/g
/** Private characters that stand for escaped ones while the surrounding marks are removed. */
const aside = 0xe000

/**
 * The beginning of a message on one line, without Markdown marks: at most 100 characters, none split. It is for a short
 * preview: constructs that need a full Markdown parser stay as written.
 */
export function plainBeginning(markdown: string): string {
  let inCode = false
  const lines: string[] = []
  for (const line of markdown.split(/\r\n|\n|\r/)) {
    if (fence.test(line)) inCode = !inCode
    else if (inCode) lines.push(line)
    else if (!rule.test(line)) lines.push(plainLine(line.replace(marks, '')))
  }
  return cut(lines.join(' ').replace(/\s+/gu, ' ').trim())
}

function plainLine(line: string): string {
  const kept = line.replace(escaped, (_, character: string) => String.fromCharCode(aside + character.charCodeAt(0)))
  const parts = kept.split(/(`+)/)
  let plain = ''
  let prose = ''
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? ''
    const end = part.startsWith('`') ? parts.indexOf(part, at + 1) : -1
    if (end < 0) {
      prose += part
      continue
    }
    plain += plainProse(prose) + restored(parts.slice(at + 1, end).join(''), '\\')
    prose = ''
    at = end
  }
  return plain + plainProse(prose)
}

const plainProse = (prose: string): string =>
  restored(
    withoutEmphasis(
      prose
        .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)/g, '$1')
        .replace(/<((?:https?:\/\/|mailto:)[^<>\s]*)>/g, '$1'),
    ),
    '',
  )

const restored = (text: string, behind: string): string =>
  text.replace(/[\ue021-\ue07e]/g, (character) => behind + String.fromCharCode(character.charCodeAt(0) - aside))

/** Removes pairs of `*`, `_` and `~~` around text. */
function withoutEmphasis(text: string): string {
  const parts = text.split(/(\*+|_+|~~)/)
  const open = new Map<string, number[]>()
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0) continue
    const [before, behind] = [parts[at - 1] || (parts[at - 2] ?? ' '), parts[at + 1] || (parts[at + 2] ?? ' ')]
    const within = part.startsWith('_') && /[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(behind)
    if (within) continue
    const begun = open.get(part)
    if (!/\s$/u.test(before) && begun?.length) {
      parts[begun.pop() ?? at] = ''
      parts[at] = ''
    } else if (!/^\s/u.test(behind)) open.set(part, [...(begun ?? []), at])
  }
  return parts.join('')
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

function cut(text: string): string {
  let characters = 0
  let length = 0
  for (const { segment, index } of graphemes.segment(text)) {
    characters += [...segment].length
    if (characters > maxCharacters) break
    length = index + segment.length
  }
  // A grapheme cluster larger than the limit is not readable text.
  return length > 0 ? text.slice(0, length).trimEnd() : [...text].slice(0, maxCharacters).join('')
}

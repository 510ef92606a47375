/** A container of Markdown lines: a block quote, or a list item whose content is indented by this many columns. */
export type Container = { kind: 'quote' } | { kind: 'item'; indent: number; empty: boolean }

/** A line that is read from the left. */
export type Line = { text: string; at: number }

/** Deeper nesting is read as text; nobody uses it. */
export const deepest = 32

export const indentOf = ({ text, at }: Line): number => {
  let end = at
  while (text[end] === ' ') end++
  return end - at
}

export const isBlank = ({ text, at }: Line): boolean => text.slice(at).trim() === ''

const breakOrMarker = { break: /^([-*_])(?: *\1){2,} *$/, marker: /^(?:[-+*]|(\d{1,9})[.)])(?= |$)/ }

export const isThematicBreak = (rest: string): boolean => breakOrMarker.break.test(rest)

/** Skips the marks of the containers to which the line still belongs; returns their number. */
export function enterHeld(line: Line, containers: readonly Container[]): number {
  for (const [index, container] of containers.entries()) {
    const entered = container.kind === 'quote' ? enterQuote(line) : stayInItem(line, container)
    if (!entered) return index
  }
  return containers.length
}

/** Moves past the marker of a block quote. */
export function enterQuote(line: Line): boolean {
  const indent = indentOf(line)
  if (indent > 3 || line.text[line.at + indent] !== '>') return false
  line.at += indent + 1
  if (line.text[line.at] === ' ') line.at++
  return true
}

/** An item that is still empty ends with a blank line. */
function stayInItem(line: Line, item: Extract<Container, { kind: 'item' }>): boolean {
  if (isBlank(line)) return !item.empty
  if (indentOf(line) < item.indent) return false
  line.at += item.indent
  item.empty = false
  return true
}

/**
 * Skips the marker of a list item. Inside a paragraph only an item with content starts a list, and a number other than
 * 1 does not.
 */
export function enterItem(line: Line, inParagraph: boolean): Container | undefined {
  const indent = indentOf(line)
  const rest = line.text.slice(line.at + indent)
  const marker = indent > 3 || isThematicBreak(rest) ? null : breakOrMarker.marker.exec(rest)
  if (!marker) return undefined
  const behind = { text: line.text, at: line.at + indent + marker[0].length }
  const empty = isBlank(behind)
  if (inParagraph && (empty || (marker[1] !== undefined && Number(marker[1]) !== 1))) return undefined
  const spaces = indentOf(behind)
  const pad = empty || spaces > 4 ? 1 : spaces
  line.at = Math.min(behind.at + pad, line.text.length)
  return { kind: 'item', indent: indent + marker[0].length + pad, empty }
}

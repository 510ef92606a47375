export type Container = { kind: 'quote' } | { kind: 'item'; indent: number; empty: boolean }

export type Line = { text: string; at: number }

export const maxDepth = 32

export const indentOf = ({ text, at }: Line): number => {
  let end = at
  while (text[end] === ' ') end++
  return end - at
}

export const isBlank = ({ text, at }: Line): boolean => text.slice(at).trim() === ''

const patterns = { thematicBreak: /^([-*_])(?: *\1){2,} *$/, marker: /^(?:[-+*]|(\d{1,9})[.)])(?= |$)/ }

export const isThematicBreak = (rest: string): boolean => patterns.thematicBreak.test(rest)

export function enterContinued(line: Line, containers: readonly Container[]): number {
  for (const [index, container] of containers.entries()) {
    const entered = container.kind === 'quote' ? enterQuote(line) : stayInItem(line, container)
    if (!entered) return index
  }
  return containers.length
}

export function enterQuote(line: Line): boolean {
  const indent = indentOf(line)
  if (indent > 3 || line.text[line.at + indent] !== '>') return false
  line.at += indent + 1
  if (line.text[line.at] === ' ') line.at++
  return true
}

/** A blank line ends an empty item. */
function stayInItem(line: Line, item: Extract<Container, { kind: 'item' }>): boolean {
  if (isBlank(line)) return !item.empty
  if (indentOf(line) < item.indent) return false
  line.at += item.indent
  item.empty = false
  return true
}

/** An item interrupts a paragraph only if it is not empty and, if numbered, has the number 1. */
export function enterItem(line: Line, inParagraph: boolean): Container | undefined {
  const indent = indentOf(line)
  const rest = line.text.slice(line.at + indent)
  const marker = indent > 3 || isThematicBreak(rest) ? null : patterns.marker.exec(rest)
  if (!marker) return undefined
  const after = { text: line.text, at: line.at + indent + marker[0].length }
  const empty = isBlank(after)
  if (inParagraph && (empty || (marker[1] !== undefined && Number(marker[1]) !== 1))) return undefined
  const spaces = indentOf(after)
  const padding = empty || spaces > 4 ? 1 : spaces
  line.at = Math.min(after.at + padding, line.text.length)
  return { kind: 'item', indent: indent + marker[0].length + padding, empty }
}

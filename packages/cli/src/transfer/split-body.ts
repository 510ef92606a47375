/** The limit is in bytes of UTF-8. */
export const maxBodyBytes = 10_000

/**
 * Cuts at the last line end in the second half of what fits, or else at the last space there, or else between two
 * characters. Drops white space at the cuts.
 */
export function splitBody(text: string, maxBytes = maxBodyBytes): string[] {
  const parts: string[] = []
  let rest = text
  while (Buffer.byteLength(rest) > maxBytes) {
    const head = prefixOf(rest, maxBytes)
    const cut = lastBreakIn(head)
    parts.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return [...parts, rest].filter((part) => part !== '')
}

function prefixOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes))
  let end = Math.min(maxBytes, bytes.length)
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString()
}

function lastBreakIn(head: string): number {
  for (const separator of ['\n', ' ']) {
    const at = head.lastIndexOf(separator)
    if (at > head.length / 2) return at
  }
  return head.length
}

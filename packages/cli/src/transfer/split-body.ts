/** Maximum size of a message, in bytes of UTF-8. */
export const maxBodyBytes = 10_000

/** Cuts a text into as few parts as fit into messages, at line ends or spaces where there are any. */
export function splitBody(text: string, maxBytes = maxBodyBytes): string[] {
  const parts: string[] = []
  let rest = text
  while (Buffer.byteLength(rest) > maxBytes) {
    const head = headOf(rest, maxBytes)
    const cut = lastBreak(head)
    parts.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return [...parts, rest].filter((part) => part !== '')
}

/** The longest beginning that fits, without half a character. */
function headOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes))
  let end = Math.min(maxBytes, bytes.length)
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString()
}

function lastBreak(head: string): number {
  for (const sign of ['\n', ' ']) {
    const at = head.lastIndexOf(sign)
    if (at > head.length / 2) return at
  }
  return head.length
}

/** Maximum size of a message, in bytes of UTF-8. */
export const mostBodyBytes = 10_000

/** Cuts a text into as few parts as fit into messages, at line ends or spaces where there are any. */
export function splitBody(text: string, mostBytes = mostBodyBytes): string[] {
  const parts: string[] = []
  let rest = text
  while (Buffer.byteLength(rest) > mostBytes) {
    const head = headOf(rest, mostBytes)
    const cut = lastBreak(head)
    parts.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return [...parts, rest].filter((part) => part !== '')
}

/** The longest beginning that fits, without half a character. */
function headOf(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text.slice(0, mostBytes))
  let end = Math.min(mostBytes, bytes.length)
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

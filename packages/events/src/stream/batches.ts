const maxBatchEvents = 64
const maxBatchBytes = 64 * 1024

const EVENTS_FIELD = 0x0a

export function encodeBatch(payloads: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = []
  for (const payload of payloads) parts.push(header(payload.length), payload)
  return Buffer.concat(parts)
}

/** Tag and length before one event; the length is a protobuf varint. */
function header(length: number): Uint8Array {
  const bytes = [EVENTS_FIELD]
  let rest = length
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

/** Returns how many of the first entries fit into one message: they have the same subject, and keep to the limits. */
export function batchSize(waiting: readonly { subject: string; payload: Uint8Array }[]): number {
  const subject = waiting[0]?.subject
  let bytes = 0
  let size = 0
  for (const entry of waiting) {
    bytes += entry.payload.length
    if (entry.subject !== subject || size === maxBatchEvents || (size > 0 && bytes > maxBatchBytes)) break
    size++
  }
  return size
}

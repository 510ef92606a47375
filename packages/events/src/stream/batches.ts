/** Most events of one bus message. */
const maxBatchEvents = 64
/** Most bytes of one bus message that holds more than one event. */
const maxBatchBytes = 64 * 1024

const EVENTS_FIELD = 0x0a

/** Encodes an EventBatch from events that are encoded already. */
export function encodeBatch(payloads: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = []
  for (const payload of payloads) parts.push(header(payload.length), payload)
  return Buffer.concat(parts)
}

/** Tag and length in front of one event: protobuf's varint. */
function header(length: number): Uint8Array {
  const bytes = [EVENTS_FIELD]
  let rest = length
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

/** How many of the first events fit into one message: consecutive ones of one subject. */
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

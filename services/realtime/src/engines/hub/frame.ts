const encoder = new TextEncoder()

// RealtimeServerFrame.event is field 3, RealtimeEventEnvelope.position field 100, both length-delimited.
const eventTag = [(3 << 3) | 2]
const positionTag = varint((100 << 3) | 2)

function varint(value: number): number[] {
  const bytes: number[] = []
  while (value > 0x7f) {
    bytes.push((value & 0x7f) | 0x80)
    value >>>= 7
  }
  bytes.push(value)
  return bytes
}

/**
 * Builds the server frame of an event without decoding the envelope: the fields of a protobuf message may be in any
 * order, so the position on the stream is appended to the encoded envelope.
 */
export function eventFrame(envelope: Uint8Array, position: string): Uint8Array {
  const positionBytes = encoder.encode(position)
  const positionField = [...positionTag, ...varint(positionBytes.length)]
  const length = envelope.length + positionField.length + positionBytes.length
  const head = [...eventTag, ...varint(length)]
  const frame = new Uint8Array(head.length + length)
  frame.set(head, 0)
  frame.set(envelope, head.length)
  frame.set(positionField, head.length + envelope.length)
  frame.set(positionBytes, head.length + envelope.length + positionField.length)
  return frame
}

/** The server frame of a hint, or of an event that is sent late or out of order. */
export function frameWithoutPosition(envelope: Uint8Array): Uint8Array {
  return Uint8Array.from([...eventTag, ...varint(envelope.length), ...envelope])
}

/**
 * Opaque position of an event on the stream: its sequence and 32 bits of its id, because a stream that has lost its
 * newest messages assigns their sequences again.
 */
export function positionOf(streamSequence: number, eventId: string): string {
  let hash = 0x811c9dc5 // FNV-1a
  for (let i = 0; i < eventId.length; i++) hash = Math.imul(hash ^ eventId.charCodeAt(i), 0x01000193)
  return `${streamSequence.toString(36)}.${(hash >>> 0).toString(36)}`
}

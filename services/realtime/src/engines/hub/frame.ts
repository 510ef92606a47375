const encoder = new TextEncoder()

// RealtimeServerFrame.event and RealtimeEventEnvelope.position, both length-delimited.
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
 * Does not decode the envelope: fields of a protobuf message may be in any order, so the position is appended to it.
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

export function frameWithoutPosition(envelope: Uint8Array): Uint8Array {
  return Uint8Array.from([...eventTag, ...varint(envelope.length), ...envelope])
}

/**
 * Sequence of an event on the stream and a hash of its id, because a stream that has lost its newest messages assigns
 * their sequences again.
 */
export function positionOf(streamSequence: number, eventId: string): string {
  let hash = 0x811c9dc5 // FNV-1a
  for (let i = 0; i < eventId.length; i++) hash = Math.imul(hash ^ eventId.charCodeAt(i), 0x01000193)
  return `${streamSequence.toString(36)}.${(hash >>> 0).toString(36)}`
}

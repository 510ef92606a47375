import { fromBinary } from '@bufbuild/protobuf'
import { RealtimeClientFrameSchema, type RealtimeClientFrame } from '@parley/contracts/realtime'

export const maxFrameBytes = 64 * 1024

export type Incoming =
  | { kind: 'frame'; frame: RealtimeClientFrame['frame'] }
  | { kind: 'unreadable'; why: string; tooLong: boolean }

export function readClientFrame(data: ArrayBuffer, isBinary: boolean): Incoming {
  if (data.byteLength > maxFrameBytes)
    return { kind: 'unreadable', why: `the frame is longer than ${maxFrameBytes} bytes`, tooLong: true }
  if (!isBinary) return { kind: 'unreadable', why: 'text frames are not part of this protocol', tooLong: false }
  try {
    // The buffer is valid only during this call, but decoded strings are copies.
    return { kind: 'frame', frame: fromBinary(RealtimeClientFrameSchema, new Uint8Array(data)).frame }
  } catch {
    return { kind: 'unreadable', why: 'the frame is not a RealtimeClientFrame', tooLong: false }
  }
}

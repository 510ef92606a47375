import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  RealtimeClientFrameSchema,
  type RealtimeServerFrame,
  RealtimeServerFrameSchema,
} from '@parley/contracts/realtime'

type ClientFrame = NonNullable<MessageInitShape<typeof RealtimeClientFrameSchema>['frame']>

const protocolVersion = 1

const encode = (frame: ClientFrame) => toBinary(RealtimeClientFrameSchema, create(RealtimeClientFrameSchema, { frame }))

export const helloFrame = (bearerToken: string | undefined) =>
  encode({ case: 'hello', value: { protocolVersion, ...(bearerToken === undefined ? {} : { bearerToken }) } })

export const subscribeFrame = (resumePosition: string) => encode({ case: 'subscribeEvents', value: { resumePosition } })

export const pingFrame = (nonce: string) => encode({ case: 'ping', value: { nonce } })

/** Undefined if the data is not a frame of the protocol. */
export function readServerFrame(data: unknown): RealtimeServerFrame['frame'] | undefined {
  if (Object.prototype.toString.call(data) !== '[object ArrayBuffer]') return undefined
  try {
    return fromBinary(RealtimeServerFrameSchema, new Uint8Array(data as ArrayBuffer)).frame
  } catch {
    return undefined
  }
}

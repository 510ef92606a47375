import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import { encode } from '@parley/protobuf'
import type { FatalError } from '../errors.ts'

type Frame = NonNullable<MessageInitShape<typeof RealtimeServerFrameSchema>['frame']>

const frameOf = (frame: Frame): Uint8Array => encode(RealtimeServerFrameSchema, { frame })

export const protocolVersion = 1

const capabilities = [
  'svc.realtime.events.live.v1',
  'svc.realtime.heartbeat.v1',
  'svc.realtime.ping.v1',
  'svc.realtime.resume.v1',
]

export const helloFrame = (serverVersion: string, heartbeatIntervalSeconds: number) =>
  frameOf({ case: 'hello', value: { protocolVersion, serverVersion, heartbeatIntervalSeconds, capabilities } })

export const subscribedFrame = (position: string, reset: boolean) =>
  frameOf({ case: 'subscribed', value: { position, reset } })

export const heartbeatFrame = (id: string, at: Date, position: string) =>
  frameOf({ case: 'heartbeat', value: { id, createdAt: timestampFromDate(at), position } })

export const pongFrame = (nonce: string) => frameOf({ case: 'pong', value: { nonce } })

export const errorFrame = ({ code, message }: FatalError, retryAfterMs: number) =>
  frameOf({ case: 'error', value: { code, message, fatal: true, retryAfterMs } })

export const closeFrame = (close: { code: string; message: string; reconnect: boolean; retryAfterMs: number }) =>
  frameOf({ case: 'close', value: close })

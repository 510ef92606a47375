import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import type { FatalError } from '../errors.ts'

type Frame = NonNullable<MessageInitShape<typeof RealtimeServerFrameSchema>['frame']>

const encode = (frame: Frame): Uint8Array =>
  toBinary(RealtimeServerFrameSchema, create(RealtimeServerFrameSchema, { frame }))

export const protocolVersion = 1

const capabilities = ['svc.realtime.events.live.v1', 'svc.realtime.heartbeat.v1', 'svc.realtime.ping.v1']

export const helloFrame = (serverVersion: string, heartbeatIntervalSeconds: number) =>
  encode({ case: 'hello', value: { protocolVersion, serverVersion, heartbeatIntervalSeconds, capabilities } })

export const subscribedFrame = (position: string, reset: boolean) =>
  encode({ case: 'subscribed', value: { position, reset } })

export const heartbeatFrame = (id: string, at: Date) =>
  encode({ case: 'heartbeat', value: { id, createdAt: timestampFromDate(at) } })

export const pongFrame = (nonce: string) => encode({ case: 'pong', value: { nonce } })

export const errorFrame = (error: FatalError) =>
  encode({ case: 'error', value: { code: error.code, message: error.message, fatal: true } })

export const closeFrame = (close: { code: string; message: string; reconnect: boolean; retryAfterMs: number }) =>
  encode({ case: 'close', value: close })

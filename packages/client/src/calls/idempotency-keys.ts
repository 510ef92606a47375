import type { DescMethod } from '@bufbuild/protobuf'
import type { Interceptor } from '@connectrpc/connect'
import { AssetUploadService, MessageService, RoomService, VoiceCallService } from '@parley/contracts/api'

/** Header that makes a creation happen once however often it is sent. */
export const idempotencyKeyHeader = 'idempotency-key'

const keyed: ReadonlySet<DescMethod> = new Set<DescMethod>([
  MessageService.method.createMessage,
  RoomService.method.startDM,
  RoomService.method.createRoom,
  AssetUploadService.method.createUpload,
  VoiceCallService.method.joinCall,
])

/** A new key, for callers that store it to repeat the same creation later. */
export function newIdempotencyKey(): string {
  return globalThis.crypto.randomUUID()
}

/** Adds a key to every creation unless the caller chose one; it is the same for all retries of a call. */
export const idempotencyKeys: Interceptor = (next) => (request) => {
  if (keyed.has(request.method) && !request.header.has(idempotencyKeyHeader)) {
    request.header.set(idempotencyKeyHeader, newIdempotencyKey())
  }
  return next(request)
}

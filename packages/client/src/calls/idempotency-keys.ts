import type { DescMethod } from '@bufbuild/protobuf'
import type { Interceptor } from '@connectrpc/connect'
import { AssetUploadService, MessageService, RoomService, VoiceCallService } from '@parley/contracts/api'

/** Header whose value makes a creation happen only once, even if the call is sent several times. */
export const idempotencyKeyHeader = 'idempotency-key'

const keyedMethods: ReadonlySet<DescMethod> = new Set<DescMethod>([
  MessageService.method.createMessage,
  RoomService.method.startDM,
  RoomService.method.createRoom,
  AssetUploadService.method.createUpload,
  VoiceCallService.method.joinCall,
])

/** For callers that store a key to repeat the same creation later. */
export function newIdempotencyKey(): string {
  return globalThis.crypto.randomUUID()
}

/**
 * Adds a key to calls of methods that accept one, unless the caller chose a key. All retries of a call have the same
 * key.
 */
export const idempotencyKeys: Interceptor = (next) => (request) => {
  if (keyedMethods.has(request.method) && !request.header.has(idempotencyKeyHeader)) {
    request.header.set(idempotencyKeyHeader, newIdempotencyKey())
  }
  return next(request)
}

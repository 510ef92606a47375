import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import type { DescMethod } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { AssetUploadService, MessageService, RoomService, VoiceCallService } from '@parley/contracts/api'
import { keyHeader } from './envelope.ts'

/** Methods that honour an `Idempotency-Key`: the same request under the same key has one effect and one answer. */
export const keyedMethods: ReadonlySet<DescMethod> = new Set<DescMethod>([
  MessageService.method.createMessage,
  RoomService.method.startDM,
  RoomService.method.createRoom,
  AssetUploadService.method.createUpload,
  VoiceCallService.method.joinCall,
])

/** The key the call carries; undefined without one. The caller's own, or `auto:...` given by the gateway. */
export function idempotencyKeyOf(call: HandlerContext): string | undefined {
  return call.requestHeader.get(keyHeader) ?? undefined
}

/** Whether a method may run twice with the effect of once, as its declaration says. */
export function isRepeatable(method: DescMethod): boolean {
  return (
    method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ||
    method.idempotency === MethodOptions_IdempotencyLevel.IDEMPOTENT
  )
}

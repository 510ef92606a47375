import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import type { DescMethod } from '@bufbuild/protobuf'
import { AssetUploadService, MessageService, RoomService, VoiceCallService } from '@parley/contracts/api'

/** Methods that honour an `Idempotency-Key`: the same request under the same key has one effect and one answer. */
export const keyedMethods: ReadonlySet<DescMethod> = new Set<DescMethod>([
  MessageService.method.createMessage,
  RoomService.method.startDM,
  RoomService.method.createRoom,
  AssetUploadService.method.createUpload,
  VoiceCallService.method.joinCall,
])

export function isSafeToRepeat(method: DescMethod, idempotencyKey: string | undefined): boolean {
  if (idempotencyKey !== undefined && keyedMethods.has(method)) return true
  const { NO_SIDE_EFFECTS, IDEMPOTENT } = MethodOptions_IdempotencyLevel
  return method.idempotency === NO_SIDE_EFFECTS || method.idempotency === IDEMPOTENT
}

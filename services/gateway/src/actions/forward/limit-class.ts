import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import type { DescMethodUnary } from '@bufbuild/protobuf'
import { AssetUploadService, MessageService, PushNotificationService } from '@parley/contracts/api'
import { carriesImage } from './image-requests.ts'

export type LimitClass = 'read' | 'write' | 'search' | 'upload' | 'outbound'

const outbound = new Set<DescMethodUnary>([
  MessageService.method.fetchLinkPreview,
  PushNotificationService.method.subscribe,
])

/**
 * Returns `upload` for a call that sends an image, or creates, fills, finishes or cancels an upload; `search` for a
 * call that may read much data; `outbound` for a call that makes this server contact another one.
 */
export function limitClassOf(method: DescMethodUnary): LimitClass {
  if (carriesImage(method)) return 'upload'
  if (method.input.fields.some(({ name }) => name === 'search' || name === 'filter')) return 'search'
  if (outbound.has(method)) return 'outbound'
  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return 'read'
  return method.parent === AssetUploadService ? 'upload' : 'write'
}

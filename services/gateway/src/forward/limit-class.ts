import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import type { DescMethodUnary } from '@bufbuild/protobuf'
import { AssetUploadService, MessageService } from '@parley/contracts/api'
import { carriesImage } from './image-requests.ts'

/** What is counted together. */
export type LimitClass = 'read' | 'write' | 'search' | 'upload'

/** Uploads bring bytes, searches may look at much or go out to other servers, writes change something. */
export function limitClassOf(method: DescMethodUnary): LimitClass {
  if (carriesImage(method)) return 'upload'
  if (method.input.fields.some(({ name }) => name === 'search' || name === 'filter')) return 'search'
  if (method === MessageService.method.fetchLinkPreview) return 'search'
  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return 'read'
  return method.parent === AssetUploadService ? 'upload' : 'write'
}

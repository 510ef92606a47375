import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { AssetUploadSchema, AssetUploadStatus, type AssetUpload } from '@parley/contracts/api'
import { maxChunkBytes } from '../domain/limits.ts'
import type { UploadRow } from '../store/uploads.ts'

const statuses: Record<UploadRow['state'], AssetUploadStatus> = {
  open: AssetUploadStatus.OPEN,
  completed: AssetUploadStatus.COMPLETED,
  ended: AssetUploadStatus.CANCELLED,
}

export function toUpload(row: UploadRow): AssetUpload {
  return create(AssetUploadSchema, {
    uploadId: row.id,
    roomId: row.roomId,
    status: statuses[row.state],
    committedOffset: BigInt(row.committed),
    size: BigInt(row.size),
    maxChunkSize: maxChunkBytes,
    sha256: row.sha256,
    expiresAt: timestampFromDate(row.expiresAt),
    assetId: row.assetId ?? '',
  })
}

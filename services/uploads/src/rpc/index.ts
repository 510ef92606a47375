import { parkedEventsService } from '@parley/events'
import { handlersOf } from '@parley/rpc'
import type { Context } from '../context.ts'
import { batchGetAssets } from './asset/batch-get-assets.ts'
import { getAsset } from './asset/get-asset.ts'
import { claimAssets } from './internal/claim-assets.ts'
import { getVideoOutcomes } from './internal/get-video-outcomes.ts'
import { importServerImage } from './internal/import-server-image.ts'
import { previewLink } from './internal/preview-link.ts'
import { storeServerImage } from './internal/store-server-image.ts'
import { adoptStorage } from './operator/adopt-storage.ts'
import { checkStorage } from './operator/check-storage.ts'
import { completeImportedFile } from './transfer/complete-imported-file.ts'
import { exportFile } from './transfer/export-file.ts'
import { importFile } from './transfer/import-file.ts'
import { importFileChunk } from './transfer/import-file-chunk.ts'
import { cancelUpload } from './upload/cancel-upload.ts'
import { completeUpload } from './upload/complete-upload.ts'
import { createUpload } from './upload/create-upload.ts'
import { getUpload } from './upload/get-upload.ts'
import { uploadChunk } from './upload/upload-chunk.ts'

export const routes = (ctx: Context) =>
  handlersOf('uploads', {
    AssetUploadService: {
      createUpload: createUpload(ctx),
      uploadChunk: uploadChunk(ctx),
      getUpload: getUpload(ctx),
      completeUpload: completeUpload(ctx),
      cancelUpload: cancelUpload(ctx),
    },
    AssetService: {
      getAsset: getAsset(ctx),
      batchGetAssets: batchGetAssets(ctx),
    },
    UploadsInternalService: {
      storeServerImage: storeServerImage(ctx),
      importServerImage: importServerImage(ctx),
      claimAssets: claimAssets(ctx),
      previewLink: previewLink(ctx),
      getVideoOutcomes: getVideoOutcomes(ctx),
    },
    UploadsOperatorService: {
      adoptStorage: adoptStorage(ctx),
      checkStorage: checkStorage(ctx),
    },
    UploadsTransferService: {
      importFile: importFile(ctx),
      importFileChunk: importFileChunk(ctx),
      completeImportedFile: completeImportedFile(ctx),
      exportFile: exportFile(ctx),
    },
    UploadsParkedEventsService: parkedEventsService(ctx.db),
  })

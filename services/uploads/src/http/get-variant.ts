import type { IncomingMessage, ServerResponse } from 'node:http'
import type { VideoVariant } from '@parley/signed-urls'
import type { Context } from '../context.ts'
import { storageKeys } from '../engines/storage/index.ts'
import { findStoredVariant } from '../actions/files/stored-files.ts'
import { redirectToStorage } from './redirect-to-storage.ts'
import { findReadableAsset } from './find-readable-asset.ts'
import { noSuchAsset } from './refusal.ts'
import { replyIfUnchanged, send } from './send.ts'

type Params = { assetId: string; variant: VideoVariant }

/** `GET /assets/files/{id}/video/{quality}?access=SIGNATURE` and `.../poster?access=SIGNATURE`. */
export async function getVariant(
  ctx: Context,
  { assetId, variant }: Params,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { row: asset, headers } = await findReadableAsset(ctx, request, response, { assetId, size: undefined, variant })
  const found = await findStoredVariant(ctx, assetId, variant)
  if (!found) throw noSuchAsset()
  const { row: rendition, content } = found
  const file = {
    ...{ etag: `"${rendition.sha256}"`, lastModified: rendition.createdAt, size: rendition.size },
    headers: { ...headers, 'content-type': rendition.contentType, 'x-content-type-options': 'nosniff' },
  }
  if (replyIfUnchanged(request, response, file)) return
  const { contentType, size } = rendition
  const redirectable = { key: storageKeys.variant(rendition.key), size, contentType, filename: asset.filename, headers }
  if (await redirectToStorage(ctx, request, response, redirectable)) return
  await send(request, response, { ...file, open: content })
}

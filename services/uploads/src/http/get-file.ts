import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { ServerImageSize } from '@parley/signed-urls'
import type { Context } from '../context.ts'
import { sizeTag } from '../engines/images/index.ts'
import type { StoredFile } from '../actions/files/stored-files.ts'
import { storageKeys } from '../engines/storage/index.ts'
import type { AssetRow } from '../store/assets.ts'
import { addressOf } from './client-address.ts'
import { contentHeaders } from './content-headers.ts'
import { redirectToStorage } from './redirect-to-storage.ts'
import { readImagePath } from './image-path.ts'
import { findReadableAsset } from './find-readable-asset.ts'
import { Refusal } from './refusal.ts'
import { getResized } from './get-resized.ts'
import { readAll, fromMemory, replyIfUnchanged, send } from './send.ts'

type Params = { assetId: string; sizePath: string | undefined }

/**
 * `GET /assets/files/{id}`, or an image in another size: `GET /assets/files/{id}/image/{W}x{H}/{fit}`. Both accept
 * `?access=SIGNATURE`; the second needs it.
 */
export async function getFile(
  ctx: Context,
  { assetId, sizePath }: Params,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const size = sizePath === undefined ? undefined : readImagePath(sizePath)
  if (sizePath !== undefined && !size) throw new Refusal(400, 'invalid image size')
  const found = await findReadableAsset(ctx, request, response, { assetId, size })
  if (size) return sendSize(ctx, { ...found, size }, request, response)
  const { row: asset, content, headers } = found

  const file = {
    ...{ etag: `"${asset.sha256}"`, lastModified: asset.createdAt, size: asset.size },
    headers: { ...headers, ...contentHeaders(asset) },
    open: content,
  }
  if (replyIfUnchanged(request, response, file)) return
  const { contentType, filename } = asset
  const redirectable = { key: storageKeys.asset(asset.id), size: asset.size, contentType, filename, headers }
  if (!(await redirectToStorage(ctx, request, response, redirectable))) await send(request, response, file)
}

type FileInSize = StoredFile<AssetRow> & { userId: string; size: ServerImageSize; headers: OutgoingHttpHeaders }

async function sendSize(
  ctx: Context,
  file: FileInSize,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { row: asset, userId, size, headers } = file
  if (asset.width === 0) throw new Refusal(400, 'the asset is not an image')
  const tag = sizeTag(asset.sha256, size)
  const state = { etag: `"${tag}"`, lastModified: asset.createdAt }
  if (replyIfUnchanged(request, response, { ...state, headers })) return
  const readOriginal = () => readAll(file)
  const wanted = {
    imageId: asset.id,
    tag,
    size,
    as: 'attachment',
    callerId: userId,
    address: addressOf(ctx, request),
  } as const
  const { bytes, contentType } = await getResized(ctx, { ...wanted, read: readOriginal })
  await send(request, response, {
    ...state,
    ...fromMemory(bytes),
    headers: { ...headers, 'content-type': contentType, 'x-content-type-options': 'nosniff' },
  })
}

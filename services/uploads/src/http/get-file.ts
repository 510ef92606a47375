import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ServerImageSize } from '@parley/signed-urls'
import type { Context } from '../context.ts'
import { sizeTag } from '../engines/images/index.ts'
import { reportFileWithoutBytes } from '../metrics.ts'
import { storageKeys, type ByteRange } from '../engines/storage/index.ts'
import type { AssetRow } from '../store/assets.ts'
import { addressOf } from './client-address.ts'
import { contentHeaders } from './content-headers.ts'
import { repliedElsewhere } from './elsewhere.ts'
import { readImagePath } from './image-path.ts'
import { readableAsset } from './readable-asset.ts'
import { noSuchAsset, Refusal } from './refusal.ts'
import { sizeOf } from './size-of.ts'
import { inMemory, repliedUnchanged, send } from './send.ts'

type Asked = { assetId: string; image: string | undefined }

/** `GET /assets/files/{id}` and `.../image/{W}x{H}/{fit}?access=TICKET`: attachments. */
export async function getFile(
  ctx: Context,
  { assetId, image }: Asked,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const size = image === undefined ? undefined : readImagePath(image)
  if (image !== undefined && !size) throw new Refusal(400, 'invalid image size')
  const { asset, userId, headers } = await readableAsset(ctx, request, response, { assetId, size })
  if (size) return sendSize(ctx, { asset, userId, size, headers }, request, response)

  const file = {
    ...{ etag: `"${asset.sha256}"`, lastModified: asset.createdAt, size: asset.size },
    headers: { ...headers, ...contentHeaders(asset) },
    open: (range?: ByteRange) => contentOf(ctx, asset, range),
  }
  if (repliedUnchanged(request, response, file)) return
  const { contentType, filename } = asset
  const passive = { key: storageKeys.asset(asset.id), size: asset.size, contentType, filename, headers }
  if (!(await repliedElsewhere(ctx, request, response, passive))) await send(request, response, file)
}

type Sized = { asset: AssetRow; userId: string; size: ServerImageSize; headers: OutgoingHttpHeaders }

async function sendSize(
  ctx: Context,
  { asset, userId, size, headers }: Sized,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (asset.width === 0) throw new Refusal(400, 'the asset is not an image')
  const tag = sizeTag(asset.sha256, size)
  const state = { etag: `"${tag}"`, lastModified: asset.createdAt }
  if (repliedUnchanged(request, response, { ...state, headers })) return
  const original = async () => buffer(await contentOf(ctx, asset))
  const wanted = {
    picture: asset.id,
    tag,
    size,
    as: 'attachment',
    asker: userId,
    address: addressOf(ctx, request),
  } as const
  const { bytes, contentType } = await sizeOf(ctx, { ...wanted, read: original })
  await send(request, response, {
    ...state,
    ...inMemory(bytes),
    headers: { ...headers, 'content-type': contentType, 'x-content-type-options': 'nosniff' },
  })
}

async function contentOf(ctx: Context, { id, size }: AssetRow, range?: ByteRange): Promise<Readable> {
  const stored = await ctx.storage.get(storageKeys.asset(id), range)
  if (stored?.size === size) return stored.content
  stored?.content.destroy()
  // It may have been deleted a moment ago.
  reportFileWithoutBytes(id)
  throw noSuchAsset()
}

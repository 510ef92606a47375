import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { readServerImageParams, type ServerImageSize } from '@parley/signed-urls'
import type { Context } from '../context.ts'
import { sizeTag } from '../engines/images/index.ts'
import { findStoredImage, type StoredFile } from '../actions/files/stored-files.ts'
import type { ServerImageRow } from '../store/server-images.ts'
import { addressOf } from './client-address.ts'
import { noSuchAsset, Refusal } from './refusal.ts'
import { getResized } from './get-resized.ts'
import { readAll, fromMemory, replyIfUnchanged, send } from './send.ts'

/** A key is random and belongs to one image forever. */
const headers: OutgoingHttpHeaders = {
  'content-type': 'image/webp',
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
}

type Params = { key: string; signedSize: string | undefined }

/** `GET /assets/server/{key}` and `GET /assets/server/{key}/t/{params}.{sig}`. */
export async function getServerImage(
  ctx: Context,
  { key, signedSize }: Params,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const size = signedSize === undefined ? undefined : readSize(ctx, key, signedSize)
  const found = await findStoredImage(ctx, key)
  if (!found) throw noSuchAsset()
  const { row: image, content } = found
  const tag = size ? sizeTag(image.digest, size) : image.digest
  const state = { headers, etag: `"${tag}"`, lastModified: image.createdAt }
  if (replyIfUnchanged(request, response, state)) return
  const bytes = size
    ? fromMemory(await resize(ctx, found, { size, tag, address: addressOf(ctx, request) }))
    : { size: image.size, open: content }
  await send(request, response, { ...state, ...bytes })
}

type WantedSize = { size: ServerImageSize; tag: string; address: string }

async function resize(ctx: Context, file: StoredFile<ServerImageRow>, { address, size, tag }: WantedSize) {
  const { row: image } = file
  const readOriginal = () => readAll(file)
  const wanted = { imageId: image.key, tag, size, as: 'public image', callerId: image.key, address } as const
  return (await getResized(ctx, { ...wanted, read: readOriginal })).bytes
}

function readSize(ctx: Context, key: string, signedSize: string): ServerImageSize {
  const size = readServerImageParams(ctx.signingSecrets, key, signedSize)
  if (size) return size
  if (/^[\w-]+\.[0-9a-f]{32}$/.test(signedSize)) throw new Refusal(403, 'permission denied: invalid signature')
  throw new Refusal(400, 'invalid image URL')
}

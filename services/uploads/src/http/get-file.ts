import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { readAssetTicket, type ServerImageSize } from '@parley/auth'
import type { Context } from '../context.ts'
import { mayHoldScripts } from '../domain/media-type.ts'
import { reportFileWithoutBytes } from '../metrics.ts'
import { storageKeys } from '../storage/storage.ts'
import { findAsset, type AssetRow } from '../store/assets.ts'
import { isKnownTag } from './etag.ts'
import { readImagePath } from './image-path.ts'
import { replyJson } from './reply.ts'

/** For one reader: nobody may keep it. */
const headers: OutgoingHttpHeaders = {
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-site',
  'referrer-policy': 'no-referrer',
  vary: 'Accept-Encoding, Authorization, Cookie',
  'accept-ranges': 'none',
}
const sandbox: OutgoingHttpHeaders = { 'content-security-policy': "sandbox; default-src 'none'" }

type Asked = { assetId: string; image: string | undefined }

/** `GET /assets/files/{id}?access=TICKET` and `.../image/{W}x{H}/{fit}?access=TICKET`: attachments. */
export async function getFile(
  ctx: Context,
  { assetId, image }: Asked,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '' } = request
  const refuse = (status: number, error: string) => replyJson(response, status, { error })
  if (method !== 'GET' && method !== 'HEAD')
    return replyJson(response, 405, { error: 'use GET' }, { allow: 'GET, HEAD' })
  const size = image === undefined ? undefined : readImagePath(image)
  if (image !== undefined && !size) return refuse(400, 'the size of the image is malformed')
  const access = new URLSearchParams(url.split('?', 2)[1]).get('access')
  if (access === null) return image === undefined ? refuse(401, 'no ticket') : refuse(403, 'no ticket')
  const ticket = readAssetTicket(ctx.signingSecrets, access, ctx.now())
  if (ticket?.assetId !== assetId || !isSame(ticket.image, size)) return refuse(403, 'the ticket does not hold')

  const { userId } = ticket
  const asset = await findAsset(ctx.db, assetId, userId)
  if (!asset) return refuse(404, 'no such asset')
  if (!(await ctx.rooms.mayRead({ userId }, asset.roomId))) return refuse(403, 'you are not a member of the room')
  if (size && asset.width === 0) return refuse(400, 'the asset is not an image')

  const etag = tagOf(asset, size)
  if (isKnownTag(request.headers['if-none-match'], etag))
    return void response.writeHead(304, { ...headers, etag }).end()
  if (size) return sendImage(ctx, { asset, size, etag }, response)
  const type = { 'content-type': asset.contentType, ...(mayHoldScripts(asset.contentType) && sandbox) }
  const whole = { ...headers, ...type, etag, 'content-length': asset.size }
  if (method === 'HEAD') return void response.writeHead(200, whole).end()
  const stored = await ctx.storage.get(storageKeys.asset(asset.id))
  if (!stored) return replyMissing(response, asset.id)
  response.writeHead(200, whole)
  await pipeline(stored.content, response)
}

const isSame = (a: ServerImageSize | undefined, b: ServerImageSize | undefined): boolean =>
  a?.width === b?.width && a?.height === b?.height && a?.fit === b?.fit

type Small = { asset: AssetRow; size: ServerImageSize; etag: string }

async function sendImage(ctx: Context, { asset, size, etag }: Small, response: ServerResponse): Promise<void> {
  const original = async () => {
    const stored = await ctx.storage.get(storageKeys.asset(asset.id))
    if (!stored) throw new MissingBytes()
    return buffer(stored.content)
  }
  try {
    const bytes = await ctx.transforms.get(`${asset.id} ${etag}`, () => ctx.studio.resize(original, size))
    response.writeHead(200, { ...headers, 'content-type': 'image/webp', etag, 'content-length': bytes.length })
    response.end(response.req.method === 'HEAD' ? undefined : bytes)
  } catch (error) {
    if (!(error instanceof MissingBytes)) throw error
    replyMissing(response, asset.id)
  }
}

class MissingBytes extends Error {}

/** It may have been deleted a moment ago. */
function replyMissing(response: ServerResponse, id: string): void {
  reportFileWithoutBytes(id)
  replyJson(response, 404, { error: 'no such asset' })
}

/** Raised when small images are made differently. */
const drawing = 1

const tagOf = ({ sha256 }: AssetRow, size: ServerImageSize | undefined): string =>
  `"${sha256.slice(0, 32)}${size ? `-${size.width}x${size.height}-${size.fit}-${drawing}` : ''}"`

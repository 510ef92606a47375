import { createHash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { readServerImageParams, type ServerImageSize } from '@parley/auth'
import type { Context } from '../context.ts'
import { reportImageWithoutBytes } from '../metrics.ts'
import { storageKeys } from '../storage/storage.ts'
import { findServerImage, type ServerImageRow } from '../store/server-images.ts'
import { isKnownTag } from './etag.ts'
import { replyJson } from './reply.ts'

/** Public, and never different: a key is random and stands for one image for ever. */
const headers: OutgoingHttpHeaders = {
  'content-type': 'image/webp',
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'accept-ranges': 'none',
}

type Asked = { key: string; segment: string | undefined }

/** `GET /assets/server/{key}` and `GET /assets/server/{key}/t/{params}.{sig}`: avatars, logos and banners. */
export async function getServerImage(
  ctx: Context,
  { key, segment }: Asked,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD')
    return replyJson(response, 405, { error: 'use GET' }, { allow: 'GET, HEAD' })
  const size = segment === undefined ? undefined : readServerImageParams(ctx.signingSecrets, key, segment)
  if (segment !== undefined && !size) return refuseSegment(response, segment)
  const image = await findServerImage(ctx.db, key)
  if (!image) return replyJson(response, 404, { error: 'no such asset' })

  const etag = tagOf(image, size)
  if (isKnownTag(request.headers['if-none-match'], etag))
    return void response.writeHead(304, { 'cache-control': headers['cache-control'], etag }).end()
  if (size) return sendTransformed(ctx, { image, size, etag }, response)
  if (method === 'HEAD') return void response.writeHead(200, { ...headers, etag, 'content-length': image.size }).end()
  const stored = await ctx.storage.get(storageKeys.serverImage(image.key))
  if (!stored) return replyMissing(response, image.key)
  response.writeHead(200, { ...headers, etag, 'content-length': stored.size })
  await pipeline(stored.content, response)
}

type Transformed = { image: ServerImageRow; size: ServerImageSize; etag: string }

async function sendTransformed(
  ctx: Context,
  { image, size, etag }: Transformed,
  response: ServerResponse,
): Promise<void> {
  const stored = async () => {
    const found = await ctx.storage.get(storageKeys.serverImage(image.key))
    if (!found) throw new MissingBytes()
    return buffer(found.content)
  }
  try {
    const bytes = await ctx.transforms.get(etag, () => ctx.studio.resize(stored, size))
    response.writeHead(200, { ...headers, etag, 'content-length': bytes.length })
    response.end(response.req.method === 'HEAD' ? undefined : bytes)
  } catch (error) {
    if (!(error instanceof MissingBytes)) throw error
    replyMissing(response, image.key)
  }
}

class MissingBytes extends Error {}

/** It may have been replaced a moment ago. */
function replyMissing(response: ServerResponse, key: string): void {
  reportImageWithoutBytes(key)
  replyJson(response, 404, { error: 'no such asset' })
}

function refuseSegment(response: ServerResponse, segment: string): void {
  if (/^[\w-]+\.[0-9a-f]{32}$/.test(segment))
    return replyJson(response, 403, { error: 'the signature of the address does not hold' })
  replyJson(response, 400, { error: 'the address of the image is malformed' })
}

/** Strong: the same image in the same size is the same bytes for as long as `drawing` stays. */
function tagOf({ key, digest }: ServerImageRow, size: ServerImageSize | undefined): string {
  if (!size) return `"${digest.slice(0, 32)}"`
  const { width, height, fit } = size
  const made = createHash('sha256').update(`${drawing} ${key} ${digest} ${width}x${height} ${fit}`).digest('hex')
  return `"${made.slice(0, 32)}"`
}

/** Raised when sizes are made differently. */
const drawing = 1

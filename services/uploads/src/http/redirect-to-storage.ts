import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { isPlayed, mayHoldScripts } from '../domain/media-type.ts'

const largeBytes = 32 * 1024 * 1024
const expiresMs = 5 * 60_000

export type Redirectable = {
  key: string
  size: number
  contentType: string
  filename: string
  headers: OutgoingHttpHeaders
}

/**
 * Redirects GET requests for large files, and for audio and video of any size, if the storage supports presigned URLs.
 * Files that could run scripts are not redirected. Returns whether it has replied.
 */
export async function redirectToStorage(
  ctx: Pick<Context, 'storage'>,
  request: IncomingMessage,
  response: ServerResponse,
  { key, size, contentType, filename, headers }: Redirectable,
): Promise<boolean> {
  if (!ctx.storage.presign || request.method !== 'GET' || mayHoldScripts(contentType)) return false
  if (!isPlayed(contentType) && size < largeBytes) return false
  const location = await ctx.storage.presign(key, { expiresMs, contentType, filename })
  response.writeHead(302, { ...headers, 'cache-control': 'no-store', 'content-length': 0, location }).end()
  return true
}

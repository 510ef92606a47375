import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus } from '@connectrpc/connect/protocol-connect'
import { isVideoVariant, type VideoVariant } from '@parley/signed-urls'
import { translateDatabaseError } from '@parley/postgres'
import { crossOriginHeaders, isPreflight, preflightHeaders } from '@parley/runtime'
import type { Context } from '../context.ts'
import { reportInterrupted, reportFailedRequest } from '../metrics.ts'
import { getFile } from './get-file.ts'
import { getServerImage } from './get-server-image.ts'
import { getVariant } from './get-variant.ts'
import { putBlob } from './put-blob.ts'
import { noSuchAsset, Refusal } from './refusal.ts'
import { replyJson } from './reply.ts'

const serverImagePath = /^\/assets\/server\/([^/]+)(?:\/t\/([^/]+))?$/
const filePath = /^\/assets\/files\/([^/]+)(?:\/image\/(.+))?$/
const variantPath = /^\/assets\/files\/([^/]+)\/(?:video\/(\d+p)|(poster))$/

const exposedHeaders = ['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag', 'Retry-After']
const publicCorsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders.join(', '),
}

export function routeOf(path: string): string {
  if (path === '/internal/blobs') return path
  if (serverImagePath.test(path)) return '/assets/server/{key}'
  if (filePath.test(path)) return '/assets/files/{asset}'
  return variantPath.test(path) ? '/assets/files/{asset}/{variant}' : '*'
}

/** Paths are matched literally: nothing is decoded or resolved. */
export function handleRequests(ctx: Context): RequestListener {
  return (request, response) => {
    route(ctx, request, response).catch((error: unknown) => {
      if (isClientGone(error) || (request.destroyed && !request.complete)) return void response.destroy()
      if (response.headersSent) {
        reportInterrupted(error)
        return void response.destroy()
      }
      const { status, message, headers } = toRefusal(error)
      replyJson(response, status, { error: message }, headers)
    })
  }
}

async function route(ctx: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  if (path === '/internal/blobs') return putBlob(ctx, request, response)
  if (!path.startsWith('/assets/')) throw new Refusal(404, 'not found')
  const [, key, signedSize] = serverImagePath.exec(path) ?? []
  const [, assetId, sizePath] = filePath.exec(path) ?? []
  const variant = parseVariantPath(path)
  const cors =
    key === undefined
      ? crossOriginHeaders(request.headers, { ...ctx, ...ctx.assets, exposedHeaders })
      : publicCorsHeaders
  if (isPreflight(request)) return void response.writeHead(204, preflightHeaders(cors)).end()
  for (const [name, value] of Object.entries(cors)) if (value !== undefined) response.setHeader(name, value)
  if (key === undefined && assetId === undefined && !variant) throw noSuchAsset()
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new Refusal(405, 'method not allowed: use GET', { allow: 'GET, HEAD' })
  if (key !== undefined) return getServerImage(ctx, { key, signedSize }, request, response)
  if (assetId !== undefined) return getFile(ctx, { assetId, sizePath }, request, response)
  if (variant) return getVariant(ctx, variant, request, response)
}

function parseVariantPath(path: string): { assetId: string; variant: VideoVariant } | undefined {
  const [, assetId, quality, poster] = variantPath.exec(path) ?? []
  const variant = quality ?? poster
  return assetId !== undefined && isVideoVariant(variant) ? { assetId, variant } : undefined
}

const isClientGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'

function toRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown
  const error = thrown instanceof ConnectError ? thrown : translateDatabaseError(thrown)
  if (!error) {
    reportFailedRequest(thrown)
    return new Refusal(500, 'internal server error')
  }
  // Here this code means that the process is overloaded, not that the client sent too much.
  const status = error.code === Code.ResourceExhausted ? 503 : codeToHttpStatus(error.code)
  const after = error.metadata.get('retry-after') ?? '1'
  return new Refusal(status, error.rawMessage, status === 503 ? { 'retry-after': after } : {})
}

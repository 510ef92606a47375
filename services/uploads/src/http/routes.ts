import type { RequestListener } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus } from '@connectrpc/connect/protocol-connect'
import { translateDatabaseError } from '@parley/postgres'
import type { Context } from '../context.ts'
import { reportFailedRequest } from '../metrics.ts'
import { getFile } from './get-file.ts'
import { getServerImage } from './get-server-image.ts'
import { putBlob } from './put-blob.ts'
import { replyJson } from './reply.ts'

const serverImagePath = /^\/assets\/server\/([^/]+)(?:\/t\/([^/]+))?$/
const filePath = /^\/assets\/files\/([^/]+)(?:\/image\/(.+))?$/

/** What the HTTP port answers. Paths are taken as they are: nothing is decoded, nothing is resolved. */
export function handleRequests(ctx: Context): RequestListener {
  return (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    const image = serverImagePath.exec(path)
    const file = filePath.exec(path)
    const answer = async (): Promise<void> => {
      if (path === '/internal/blobs') return putBlob(ctx, request, response)
      if (image?.[1] !== undefined) return getServerImage(ctx, { key: image[1], segment: image[2] }, request, response)
      if (file?.[1] !== undefined) return getFile(ctx, { assetId: file[1], image: file[2] }, request, response)
      replyJson(response, 404, { error: path.startsWith('/assets/') ? 'no such asset' : 'not found' })
    }
    answer().catch((thrown: unknown) => {
      // Whoever asked is gone: there is nobody to tell, and nothing went wrong here.
      if (request.destroyed && !request.complete) return
      if (response.headersSent) return response.destroy()
      const error = thrown instanceof ConnectError ? thrown : translateDatabaseError(thrown)
      if (!error) reportFailedRequest(thrown)
      const status = codeToHttpStatus(error?.code ?? Code.Internal)
      return replyJson(response, status, { error: error?.rawMessage ?? 'internal server error' })
    })
  }
}

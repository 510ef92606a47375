import { createWriteStream } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { replyJson } from '../http/reply.ts'
import {
  sourceFile,
  limitBytes,
  detectDemuxer,
  readOutputFile,
  type Made,
  reportWorkFailed,
  type Encoder,
  encodePath,
  VideoFailure,
  resultHeader,
  encodeResult,
} from '../engines/video/index.ts'

type Options = { encoder: Encoder; atOnce: number; maxBytes: number; signal: AbortSignal }

/** Accepts a video as the body of a POST and returns its renditions; 422 for an invalid video, 503 when busy. */
export function handleVideoRequests({ encoder, atOnce, maxBytes, signal }: Options): RequestListener {
  let underWay = 0
  const work = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const stop = AbortSignal.any([signal, gone.signal])
    await using folder = await encoder.openFolder()
    const here = { folder: folder.path, signal: stop }
    const path = join(folder.path, sourceFile)
    await pipeline(request, limitBytes(maxBytes), createWriteStream(path, { flags: 'wx', mode: 0o644 }), {
      signal: stop,
    })
    const encoded = await encoder.encode({ ...here, demuxer: await detectDemuxer(path) })
    const made = [...encoded.renditions, ...(encoded.poster ? [encoded.poster] : [])]
    const length = made.reduce((sum, { size }) => sum + size, 0)
    response.writeHead(200, { [resultHeader]: encodeResult(encoded), 'content-length': length })
    await pipeline(allOf(folder.path, made), response, { signal: stop })
  }
  return (request, response) => {
    if (request.method !== 'POST' || request.url !== encodePath)
      return replyJson(response, 404, { error: `nothing here but POST ${encodePath}` })
    if (underWay >= atOnce || signal.aborted) return replyJson(response, 503, { error: 'there is enough to do' })
    underWay++
    work(request, response)
      .catch((error: unknown) => {
        if (response.headersSent || response.destroyed) return void response.destroy()
        // The caller tries another worker.
        if (signal.aborted) return replyJson(response, 503, { error: 'this worker is going down' })
        if (error instanceof VideoFailure) return replyJson(response, 422, { error: error.message })
        reportWorkFailed(error)
        replyJson(response, 500, { error: 'the video could not be processed; try again' })
      })
      .finally(() => underWay--)
  }
}

/** The bytes of files, one after the other. */
async function* allOf(folder: string, files: readonly Made[]): AsyncIterable<Buffer> {
  for (const file of files) yield* readOutputFile(folder, file) as AsyncIterable<Buffer>
}

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
  type OutputFile,
  reportWorkerFailure,
  type Encoder,
  encodePath,
  VideoFailure,
  resultHeader,
  encodeResult,
} from '../engines/video/index.ts'

type Options = { encoder: Encoder; atOnce: number; maxBytes: number; signal: AbortSignal }

const shuttingDown = { error: 'this worker is shutting down; try another one' }

/**
 * Responds with the renditions and poster of the video in the body, with 422 if it is invalid, with 503 if the worker
 * is busy or shutting down, and with 500 after any other failure.
 */
export function handleVideoRequests({ encoder, atOnce, maxBytes, signal }: Options): RequestListener {
  let running = 0
  const encodeVideo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const disconnected = new AbortController()
    response.once('close', () => disconnected.abort())
    const stop = AbortSignal.any([signal, disconnected.signal])
    await using folder = await encoder.openFolder()
    const workspace = { folder: folder.path, signal: stop }
    const path = join(folder.path, sourceFile)
    await pipeline(request, limitBytes(maxBytes), createWriteStream(path, { flags: 'wx', mode: 0o644 }), {
      signal: stop,
    })
    const encoded = await encoder.encode({ ...workspace, demuxer: await detectDemuxer(path) })
    const files = [...encoded.renditions, ...(encoded.poster ? [encoded.poster] : [])]
    const length = files.reduce((sum, { size }) => sum + size, 0)
    response.writeHead(200, { [resultHeader]: encodeResult(encoded), 'content-length': length })
    await pipeline(concatenate(folder.path, files), response, { signal: stop })
  }
  return (request, response) => {
    if (request.method !== 'POST' || request.url !== encodePath)
      return replyJson(response, 404, { error: `not found: use POST ${encodePath}` })
    if (signal.aborted) return replyJson(response, 503, shuttingDown)
    if (running >= atOnce) return replyJson(response, 503, { error: 'the worker is busy; try again' })
    running++
    encodeVideo(request, response)
      .catch((error: unknown) => {
        if (response.headersSent || response.destroyed) return void response.destroy()
        if (signal.aborted) return replyJson(response, 503, shuttingDown)
        if (error instanceof VideoFailure) return replyJson(response, 422, { error: error.message })
        reportWorkerFailure(error)
        replyJson(response, 500, { error: 'the video could not be processed; try again' })
      })
      .finally(() => running--)
  }
}

async function* concatenate(folder: string, files: readonly OutputFile[]): AsyncIterable<Buffer> {
  for (const file of files) yield* readOutputFile(folder, file) as AsyncIterable<Buffer>
}

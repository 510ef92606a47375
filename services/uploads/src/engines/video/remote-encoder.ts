import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import type { EncodeJob, Encoded, Encoder } from './encode.ts'
import { sourceFile } from './ffmpeg-args.ts'
import { openJobFolder } from './job-folder.ts'
import type { VideoSettings } from './settings.ts'
import { VideoFailure } from './video-failure.ts'
import { resultHeader, decodeResult } from './worker-result.ts'

export const encodePath = '/videos'

export function remoteEncoder(urls: readonly string[], settings: VideoSettings): Encoder {
  let next = 0
  // A rendition is rarely larger than its source.
  const maxBytes = 4 * settings.maxVideoUploadBytes
  return {
    openFolder: () => openJobFolder(settings.videoFolder ?? tmpdir()),
    encode: (job) => encodeAt(new URL(encodePath, urls[next++ % urls.length]), job, maxBytes),
  }
}

async function encodeAt(worker: URL, { folder, signal }: EncodeJob, maxBytes: number): Promise<Encoded> {
  const response = await send(worker, join(folder, sourceFile), signal)
  try {
    if (response.statusCode === 422) throw new VideoFailure('processing_failed', await readErrorText(response))
    if (response.statusCode === 503) throw workerUnavailable(new Error('the video worker is busy or shutting down'))
    const encoded =
      response.statusCode === 200 ? decodeResult(String(response.headers[resultHeader]), maxBytes) : undefined
    if (!encoded)
      throw new Error(`the response of the video worker (status ${response.statusCode}) is not a valid result`)
    await receive(response, encoded, { folder, signal })
    return encoded
  } finally {
    response.destroy()
  }
}

async function send(worker: URL, source: string, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': (await stat(source)).size }
  const request = httpRequest(worker, { method: 'POST', headers, agent: false, signal })
  // Errors while sending are ignored: a missing, failed or short response shows them.
  request.on('error', () => undefined)
  void pipeline(createReadStream(source), request).catch(() => undefined)
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response.on('error', () => undefined)
  } catch (error) {
    signal.throwIfAborted()
    // With any other code the worker may have received the video and crashed, so the attempt counts.
    throw unreachable.has((error as NodeJS.ErrnoException).code ?? '') ? workerUnavailable(error) : error
  }
}

/** With these codes no worker has received the video. */
const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'])

const workerUnavailable = (cause: unknown) =>
  new ConnectError('the video worker is not available', Code.Unavailable, undefined, undefined, cause)

const maxErrorLength = 5_000

async function readErrorText(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const bytes of response as AsyncIterable<Buffer>) {
    text += bytes.toString()
    if (text.length > maxErrorLength) break
  }
  return text.slice(0, maxErrorLength)
}

async function receive(
  response: IncomingMessage,
  { renditions, poster }: Encoded,
  { folder, signal }: Pick<EncodeJob, 'folder' | 'signal'>,
): Promise<void> {
  const bytes = response[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  let rest: Buffer = Buffer.alloc(0)
  async function* next(size: number): AsyncIterable<Buffer> {
    for (let left = size; left > 0;) {
      if (rest.length === 0) {
        const { done, value } = await bytes.next()
        if (done) throw new Error('the response of the video worker ended early')
        rest = value
      }
      const part = rest.subarray(0, left)
      rest = rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }
  for (const { file, size } of [...renditions, ...(poster ? [poster] : [])])
    await pipeline(next(size), createWriteStream(join(folder, file), { flags: 'wx' }), { signal })
}

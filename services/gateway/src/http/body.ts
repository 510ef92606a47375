import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { bodyTooLarge, clientGone, malformedBody, tooManyBytes, unsupportedCompression } from '../errors.ts'
import { heldBy } from './held-bytes.ts'

const gunzipAsync = promisify(gunzip)

/** Reads a whole body of at most `limit` bytes, before and after decompression, within the memory limits. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip') throw unsupportedCompression(encoding)
  const raw = await readRaw(request, limit)
  if (encoding !== 'gzip' || raw.length === 0) return raw
  const body = await decompress(raw, limit)
  if (!heldBy(request).take(body.length)) throw tooManyBytes()
  return body
}

function readRaw(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) return reject(bodyTooLarge(limit))
    // The client may have disconnected during an earlier wait, and the event fires only once.
    if (request.destroyed) return reject(clientGone())
    const held = heldBy(request)
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      const refusal = length > limit ? bodyTooLarge(limit) : held.take(chunk.length) ? undefined : tooManyBytes()
      if (!refusal) return void chunks.push(chunk)
      request.removeAllListeners('data')
      chunks.length = 0
      reject(refusal)
    })
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', () => reject(clientGone()))
    request.on('close', () => {
      if (!request.readableEnded) reject(clientGone())
    })
  })
}

async function decompress(raw: Buffer, limit: number): Promise<Buffer> {
  try {
    return await gunzipAsync(raw, { maxOutputLength: limit })
  } catch (error) {
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw bodyTooLarge(limit)
    throw malformedBody(error)
  }
}

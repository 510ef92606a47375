import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { bodyTooLarge, clientGone, malformedBody, unsupportedCompression } from '../errors.ts'

const gunzipAsync = promisify(gunzip)

/** Reads a whole body of at most `limit` bytes, before and after decompression. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip') throw unsupportedCompression(encoding)
  const raw = await readRaw(request, limit)
  return encoding === 'gzip' && raw.length > 0 ? decompress(raw, limit) : raw
}

function readRaw(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      request.resume()
      return reject(bodyTooLarge(limit))
    }
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) {
        chunks.length = 0
        reject(bodyTooLarge(limit))
      } else chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', () => reject(clientGone()))
    request.on('close', () => reject(clientGone()))
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

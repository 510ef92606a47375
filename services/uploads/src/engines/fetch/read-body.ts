import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FetchRefused } from './failures.ts'

const decoders: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * Reads and decompresses a response body. At most `maxBytes` are held, regardless of compression; a longer body is cut
 * or refused.
 */
export async function readBody(answer: IncomingMessage, maxBytes: number, longer: 'cut' | 'refuse'): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of decoded(answer) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    // Leaving the loop destroys the response.
    if (length > maxBytes && longer === 'refuse') throw new FetchRefused('size')
    if (length >= maxBytes && longer === 'cut') break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

function decoded(answer: IncomingMessage): Readable {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity' || encoding === '') return answer
  const decoder = decoders[encoding]?.()
  if (!decoder) throw new FetchRefused('type')
  answer.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => answer.destroy())
  return answer.pipe(decoder)
}

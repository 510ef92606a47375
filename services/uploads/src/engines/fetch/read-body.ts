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
 * Keeps at most `maxBytes` of decompressed content and one more piece; needs twice this memory while it joins the
 * pieces.
 */
export async function readBody(
  response: IncomingMessage,
  maxBytes: number,
  ifTooLong: 'truncate' | 'refuse',
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of decompress(response) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes && ifTooLong === 'refuse') throw new FetchRefused('size')
    if (length >= maxBytes && ifTooLong === 'truncate') break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

function decompress(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  const decoder = decoders[encoding]?.()
  if (!decoder) throw new FetchRefused('type')
  response.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => response.destroy())
  return response.pipe(decoder)
}

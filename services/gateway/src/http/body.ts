import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { ConnectError } from '@connectrpc/connect'
import { bodyTooLarge, clientDisconnected, malformedBody, tooManyBytes, unsupportedCompression } from '../errors.ts'
import { heldBytesOf, type HeldBytes } from './held-bytes.ts'

/** `limit` in bytes applies before and after decompression. Counts the body against the memory limits. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip') throw unsupportedCompression(encoding)
  const raw = await readRaw(request, limit)
  if (encoding !== 'gzip' || raw.length === 0) return raw
  return decompress(raw, limit, heldBytesOf(request))
}

function readRaw(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) return reject(bodyTooLarge(limit))
    // The client may have disconnected while its call was being admitted. No further `close` event would follow.
    if (request.destroyed) return reject(clientDisconnected())
    const held = heldBytesOf(request)
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
    request.on('error', () => reject(clientDisconnected()))
    request.on('close', () => {
      if (!request.readableEnded) reject(clientDisconnected())
    })
  })
}

/** Counts the bytes as they are decompressed, because a body can grow a thousandfold. */
async function decompress(raw: Buffer, limit: number, held: HeldBytes): Promise<Buffer> {
  const gunzip = createGunzip()
  const chunks: Buffer[] = []
  let length = 0
  try {
    gunzip.end(raw)
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > limit) throw bodyTooLarge(limit)
      if (!held.take(chunk.length)) throw tooManyBytes()
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    throw error instanceof ConnectError ? error : malformedBody(error)
  }
}

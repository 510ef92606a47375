import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { StoredFile } from '../actions/files/stored-files.ts'
import type { ByteRange } from '../engines/storage/index.ts'
import { isUnchanged, mayServeRange, type Validators } from './conditions.ts'
import { rangeOf } from './range.ts'
import { noSuchAsset, Refusal } from './refusal.ts'

export type Sendable = Validators & {
  size: number
  headers: OutgoingHttpHeaders
  open: (range?: ByteRange) => Promise<Readable | undefined>
}

export function replyIfUnchanged(
  { headers: requestHeaders }: IncomingMessage,
  response: ServerResponse,
  { headers, ...state }: Validators & { headers: OutgoingHttpHeaders },
): boolean {
  const unchanged = isUnchanged(requestHeaders, state)
  if (unchanged) response.writeHead(304, { ...headers, ...validatorHeaders(state) }).end()
  return unchanged
}

/** Sends only headers for HEAD. Throws a refusal if the range is outside the file or the bytes are missing. */
export async function send(request: IncomingMessage, response: ServerResponse, file: Sendable): Promise<void> {
  const { size } = file
  const headers = { ...file.headers, ...validatorHeaders(file), 'accept-ranges': 'bytes' }
  if (request.method === 'HEAD') return void response.writeHead(200, { ...headers, 'content-length': size }).end()
  const range = mayServeRange(request.headers, file) ? rangeOf(request.headers.range, size) : undefined
  if (range === 'beyond')
    throw new Refusal(416, `range not satisfiable: the file has ${size} bytes`, { 'content-range': `bytes */${size}` })
  const content = await file.open(range)
  if (!content) throw noSuchAsset()
  if (response.destroyed) return void content.destroy()
  if (range) {
    const { start, end } = range
    const part = { 'content-length': end - start + 1, 'content-range': `bytes ${start}-${end}/${size}` }
    response.writeHead(206, { ...headers, ...part })
  } else response.writeHead(200, { ...headers, 'content-length': size })
  await pipeline(content, response)
}

export async function readAll({ content }: Pick<StoredFile<unknown>, 'content'>): Promise<Buffer> {
  const stream = await content()
  if (!stream) throw noSuchAsset()
  return buffer(stream)
}

export const fromMemory = (bytes: Buffer): Pick<Sendable, 'size' | 'open'> => ({
  size: bytes.length,
  open: (range) => Promise.resolve(Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes])),
})

const validatorHeaders = ({ etag, lastModified }: Validators): OutgoingHttpHeaders => ({
  etag,
  'last-modified': lastModified.toUTCString(),
})

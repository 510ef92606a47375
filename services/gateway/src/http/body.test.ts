import type { IncomingMessage, ServerResponse } from 'node:http'
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { readBody } from './body.ts'
import { holdBytes } from './held-bytes.ts'

const MiB = 1024 * 1024

/** `taken`: the numbers of bytes that were counted. */
async function read(body: Buffer, maxBytes: number) {
  const request = Object.assign(Readable.from([body]), { headers: { 'content-encoding': 'gzip' } })
  const taken: number[] = []
  const take = (bytes: number) => taken.push(bytes) > 0 && taken.reduce((sum, one) => sum + one) <= maxBytes
  const incoming = request as unknown as IncomingMessage
  holdBytes(incoming, new EventEmitter() as ServerResponse, { take, release: () => undefined })
  const outcome = await readBody(incoming, MiB).catch((error: unknown) => error)
  return { outcome, taken }
}

test('a compressed body counts with its bytes both before and after decompression', async () => {
  const whole = Buffer.alloc(100_000, 'x')
  const packed = gzipSync(whole)
  const { outcome, taken } = await read(packed, MiB)
  expect(outcome).toEqual(whole)
  expect(taken.reduce((sum, one) => sum + one)).toBe(packed.length + whole.length)
})

test('decompression stops when the memory limit is reached', async () => {
  const { outcome, taken } = await read(gzipSync(Buffer.alloc(MiB)), 100_000)
  expect(outcome).toMatchObject({ code: Code.ResourceExhausted, rawMessage: expect.stringContaining('in transfer') })
  expect(Math.max(...taken)).toBeLessThan(100_000)
})

test.each([
  ['is too long when it is decompressed', gzipSync(Buffer.alloc(MiB + 1)), Code.ResourceExhausted],
  ['is cut off', gzipSync(Buffer.from('text')).subarray(0, -4), Code.InvalidArgument],
  ['is not compressed at all', Buffer.from('text'), Code.InvalidArgument],
])('a body that %s is refused', async (_, body, code) => {
  expect((await read(body, 4 * MiB)).outcome).toMatchObject({ code })
})

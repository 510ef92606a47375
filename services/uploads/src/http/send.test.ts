import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, expect, test } from '@jest/globals'
import { send } from './send.ts'

let server: Server | undefined
afterEach(() => void server?.close())

test('a response that fails halfway is aborted and never looks complete', async () => {
  const failures: unknown[] = []
  const failsHalfway = async function* () {
    yield Buffer.alloc(10)
    await new Promise(setImmediate)
    throw new Error('the disk failed')
  }
  const file = { etag: '"a"', lastModified: new Date(0), size: 20, headers: {} }
  server = createServer((request, response) => {
    send(request, response, { ...file, open: () => Promise.resolve(Readable.from(failsHalfway())) }).catch(
      (error: unknown) => failures.push(error),
    )
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const reading = fetch(`http://127.0.0.1:${port}/`).then((response) => response.arrayBuffer())
  await expect(reading).rejects.toThrow()
  expect(failures).toEqual([new Error('the disk failed')])
})

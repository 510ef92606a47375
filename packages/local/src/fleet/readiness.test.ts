import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { whenAllReady } from './readiness.ts'

const manyRequests = 5

test('what a start waits for is printed once, and again only when it changes', async () => {
  const said: string[] = []
  const reasons = ['first rooms', 'policy']
  let requests = 0
  const server = createServer((_, response) => {
    const [reason] = reasons
    if (said.some((line) => line.includes(`${reason}`)) && ++requests > manyRequests) {
      requests = 0
      reasons.shift()
    }
    if (reasons.length === 0) return void response.end('{}')
    response.writeHead(503).end(JSON.stringify({ reasons: [`waiting for ${reasons[0]}`] }))
  })
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const rooms = { label: 'rooms', internalPort: () => port }
    await whenAllReady([rooms], (line) => said.push(line), new AbortController().signal, 60_000, 0)
  } finally {
    server.close()
  }
  expect(said).toEqual(['not ready yet: rooms (waiting for first rooms)', 'not ready yet: rooms (waiting for policy)'])
})

test('a start that takes too long fails with the names of the processes that are not ready', async () => {
  const starting = { label: 'rooms', internalPort: () => undefined }
  await expect(whenAllReady([starting], () => undefined, new AbortController().signal, 0)).rejects.toThrow(
    /^not ready after 0 s: rooms$/,
  )
})

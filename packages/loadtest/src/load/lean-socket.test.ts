import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { LeanSocket } from './lean-socket.ts'

test('a socket that the server refuses ends with the status of the response', async () => {
  const server = createServer((_, response) => void response.writeHead(426).end()).listen(0, '127.0.0.1')
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n'))
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/realtime`)
  const ends: string[] = []
  await new Promise<void>((resolve) => {
    const onEnd = ({ message }: Error) => {
      ends.push(message)
      resolve()
    }
    new LeanSocket(url, [], { onMessage: () => undefined, onEnd })
  })
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  expect(ends).toEqual(['the server refused the socket: HTTP/1.1 503 Service Unavailable'])
})

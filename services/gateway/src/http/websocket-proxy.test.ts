import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, test } from '@jest/globals'
import { WebSocket, WebSocketServer } from 'ws'
import { WebSocketProxy } from './websocket-proxy.ts'

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a socket that a node accepts during a drain is asked to reconnect', async () => {
  const node = createServer()
  const proxy = new WebSocketProxy([await listen(node)], () => ({}))
  const gateway = createServer().on('upgrade', (request, socket, head) => proxy.upgrade(request, socket, head))
  const client = new WebSocket((await listen(gateway)).replace('http', 'ws'))
  try {
    const closed = once(client, 'close')
    const [request, socket, head] = (await once(node, 'upgrade')) as [IncomingMessage, Duplex, Buffer]
    await proxy.drain(1)
    new WebSocketServer({ noServer: true }).handleUpgrade(request, socket, head, () => undefined)
    expect((await closed)[0]).toBe(1012)
  } finally {
    client.terminate()
    node.close()
    gateway.close()
  }
})

import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { adviceOnUsedPort } from '../../bootstrap/used-port.mjs'
import { localUrl, publicPort } from './public-port.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['::1', 'http://[::1]:80'],
  ['chat.example.org', 'http://chat.example.org:80'],
])('a server that listens on %s is reached at %s', (host, url) => {
  expect(localUrl(host, 80)).toBe(url)
})

test('the error for a used port is the advice that make bootstrap prints', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await expect(publicPort('127.0.0.1', port)).rejects.toThrow(adviceOnUsedPort('127.0.0.1', port))
  } finally {
    server.close()
  }
})

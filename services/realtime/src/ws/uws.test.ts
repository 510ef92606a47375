import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, test } from '@jest/globals'
import { createApp, listen } from './uws.ts'

/** Connections to a port that the kernel has not established, because nobody may wait to be accepted any more. */
function unestablished(port: number): number {
  const to = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return rows.filter((row) => {
    const [, , remote = '', state] = row.trim().split(/ +/)
    return remote.endsWith(to) && state === '02'
  }).length
}

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('a burst of connections is established before the first is accepted', async () => {
  const app = createApp()
  const port = await listen(app, '127.0.0.1', 0)
  const sockets = Array.from({ length: 1_500 }, () => connect(port.port, '127.0.0.1').on('error', () => undefined))
  // They connect in this turn of the event loop, in which the server accepts nothing.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  const left = unestablished(port.port)
  for (const socket of sockets) socket.destroy()
  app.close()
  expect(left).toBe(0)
})

test('a port is not shared with another process', async () => {
  const [first, second] = [createApp(), createApp()]
  const { port } = await listen(first, '127.0.0.1', 0)
  await expect(listen(second, '127.0.0.1', port)).rejects.toThrow('the port is in use')
  first.close()
})

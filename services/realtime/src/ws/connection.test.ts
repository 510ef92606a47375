import { expect, test } from '@jest/globals'
import { Connection, type Socket } from './connection.ts'
import type { ConnectionContext } from './connection-context.ts'

test('sockets opened together do not all expire together', () => {
  const context = { handshakeTimeoutMs: 1_000 } as ConnectionContext
  const now = performance.now()
  const sockets = Array.from({ length: 200 }, () => new Connection({} as Socket, { address: '' } as never, context))
  const old = (afterMs: number) => sockets.filter((socket) => socket.isOlderThan(100_000, now + afterMs)).length
  expect([old(70_000), old(130_000)]).toEqual([0, 200])
  expect(old(100_000)).toBeGreaterThan(50)
  expect(old(100_000)).toBeLessThan(150)
})

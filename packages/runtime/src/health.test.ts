import { expect, test } from '@jest/globals'
import { Health } from './health.ts'

test('a process of several parts is ready when every part is, and reports those that are not', () => {
  const health = new Health()
  const [rooms, calls] = [health.of('rooms'), health.of('calls')]
  const policy = rooms.requireAtStart('policy')
  expect(health.status()).toEqual({ ready: false, reasons: ['rooms: waiting for policy'] })
  policy()
  expect(health.status().ready).toBe(true)
  calls.drain()
  expect(health.status().reasons).toEqual(['calls: draining'])
  expect(rooms.status().ready).toBe(true)
})

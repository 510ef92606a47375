import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { disconnectedAt, isLive, pickNewer, noConnection, type Connection } from './connection.ts'

const connection = fc.record({ n: fc.nat(3), disconnected: fc.boolean() }).map(({ n, disconnected }): Connection => ({
  ...{ sid: `PA_${n}`, mediaRoomSid: `RM_${n % 2}`, connectedAt: 1 + Math.trunc(n / 2), disconnected },
}))

const receivedAgain = fc
  .array(connection, { minLength: 1, maxLength: 6 })
  .chain((received) =>
    fc.tuple(
      fc.constant(received),
      fc.shuffledSubarray([...received, ...received], { minLength: received.length * 2 }),
    ),
  )

test('reports in any order and with duplicates result in the same connection', () => {
  fc.assert(
    fc.property(receivedAgain, ([received, again]) => {
      expect(again.reduce(pickNewer, noConnection)).toEqual(received.reduce(pickNewer, noConnection))
    }),
  )
})

const first: Connection = { sid: 'PA_1', mediaRoomSid: 'RM_1', connectedAt: 10, disconnected: false }
const second: Connection = { ...first, sid: 'PA_2', connectedAt: 20 }

test('the end of a connection does not end a later one; its own late start does not restore it', () => {
  expect(pickNewer(second, { ...first, disconnected: true })).toBe(second)
  expect(pickNewer({ ...first, disconnected: true }, first).disconnected).toBe(true)
})

test('a participant who left is restored only by a later connection', () => {
  expect(isLive(pickNewer(disconnectedAt(15), first), [])).toBe(false)
  expect(isLive(pickNewer(disconnectedAt(15), second), [])).toBe(true)
})

test('a connection is not live once its room at the media server is closed', () => {
  expect(isLive(first, ['RM_2'])).toBe(true)
  expect(isLive(first, ['RM_1'])).toBe(false)
})

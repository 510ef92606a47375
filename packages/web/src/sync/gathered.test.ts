import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { Code, ConnectError } from '@parley/client'
import { gathered } from './gathered.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const handler = () => jest.fn((_: string[]) => Promise.resolve())

test('keys that come together are handed over at once, each of them once', async () => {
  const handle = handler()
  const ask = gathered(20, handle)
  for (const key of ['a', 'b', 'a']) ask(key)
  await jest.advanceTimersByTimeAsync(20)
  ask('a')
  await jest.advanceTimersByTimeAsync(20)
  expect(handle.mock.calls).toEqual([[['a', 'b']], [['a']]])
})

test('what could not be read is read again, with what came meanwhile', async () => {
  const handle = handler()
  handle.mockRejectedValueOnce(new ConnectError('away', Code.Unavailable))
  const ask = gathered(20, handle)
  ask('a')
  await jest.advanceTimersByTimeAsync(30)
  ask('b')
  await jest.advanceTimersByTimeAsync(60_000)
  expect(handle.mock.calls).toEqual([[['a']], [['a', 'b']]])
})

test('what may not be read is left', async () => {
  const handle = handler()
  handle.mockRejectedValueOnce(new ConnectError('not a member', Code.PermissionDenied))
  const ask = gathered(20, handle)
  ask('a')
  await jest.advanceTimersByTimeAsync(60_000)
  ask('b')
  await jest.advanceTimersByTimeAsync(60_000)
  expect(handle.mock.calls).toEqual([[['a']], [['b']]])
})

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { Code, ConnectError } from '@parley/client'
import { createBatcher } from './batcher.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const handler = () => jest.fn((_: string[]) => Promise.resolve())

test('keys that arrive together are handled in one call, without duplicates', async () => {
  const handle = handler()
  const add = createBatcher(20, handle)
  for (const key of ['a', 'b', 'a']) add(key)
  await jest.advanceTimersByTimeAsync(20)
  add('a')
  await jest.advanceTimersByTimeAsync(20)
  expect(handle.mock.calls).toEqual([[['a', 'b']], [['a']]])
})

test('keys of a failed call are retried, together with those that arrived in the meantime', async () => {
  const handle = handler()
  handle.mockRejectedValueOnce(new ConnectError('unavailable', Code.Unavailable))
  const add = createBatcher(20, handle)
  add('a')
  await jest.advanceTimersByTimeAsync(30)
  add('b')
  await jest.advanceTimersByTimeAsync(60_000)
  expect(handle.mock.calls).toEqual([[['a']], [['a', 'b']]])
})

test('keys are dropped if a retry would fail too', async () => {
  const handle = handler()
  handle.mockRejectedValueOnce(new ConnectError('not a member', Code.PermissionDenied))
  const add = createBatcher(20, handle)
  add('a')
  await jest.advanceTimersByTimeAsync(60_000)
  add('b')
  await jest.advanceTimersByTimeAsync(60_000)
  expect(handle.mock.calls).toEqual([[['a']], [['b']]])
})

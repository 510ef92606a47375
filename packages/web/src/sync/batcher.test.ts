import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { Code, ConnectError } from '@parley/client'
import { createBatcher } from './batcher.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const handler = () => jest.fn((_: string[]) => Promise.resolve())

test('keys that arrive together are read in one request, each once', async () => {
  const handle = handler()
  const ask = createBatcher(20, handle)
  for (const key of ['a', 'b', 'a']) ask(key)
  await jest.advanceTimersByTimeAsync(20)
  ask('a')
  await jest.advanceTimersByTimeAsync(20)
  expect(handle.mock.calls).toEqual([[['a', 'b']], [['a']]])
})

test('keys whose read failed are read again, with those that arrived meanwhile', async () => {
  const handle = handler()
  handle.mockRejectedValueOnce(new ConnectError('away', Code.Unavailable))
  const ask = createBatcher(20, handle)
  ask('a')
  await jest.advanceTimersByTimeAsync(30)
  ask('b')
  await jest.advanceTimersByTimeAsync(60_000)
  expect(handle.mock.calls).toEqual([[['a']], [['a', 'b']]])
})

test('keys that may not be read are dropped', async () => {
  const handle = handler()
  handle.mockRejectedValueOnce(new ConnectError('not a member', Code.PermissionDenied))
  const ask = createBatcher(20, handle)
  ask('a')
  await jest.advanceTimersByTimeAsync(60_000)
  ask('b')
  await jest.advanceTimersByTimeAsync(60_000)
  expect(handle.mock.calls).toEqual([[['a']], [['b']]])
})

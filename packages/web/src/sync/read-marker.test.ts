import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { Code, ConnectError } from '@parley/client'
import { ReadMarker } from './read-marker.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('the first row seen is marked at once, and the rows seen within the next second with one request', async () => {
  const mark = jest.fn(() => Promise.resolve())
  const marker = new ReadMarker(mark)
  for (const id of ['a', 'b', 'c']) marker.markSeen(id)
  expect(mark).toHaveBeenCalledTimes(1)
  await jest.advanceTimersByTimeAsync(1_000)
  expect(mark).toHaveBeenCalledTimes(2)
  await jest.advanceTimersByTimeAsync(5_000)
  expect(mark).toHaveBeenCalledTimes(2)
})

test('a waiting marker is sent when the view closes', () => {
  const mark = jest.fn(() => Promise.resolve())
  const marker = new ReadMarker(mark)
  marker.markSeen('a')
  marker.markSeen('b')
  marker.flush()
  marker.close()
  expect(mark).toHaveBeenCalledTimes(2)
})

/** A request that fails this many times, not counting the SDK's own retries. */
const failingRequest = (code: Code, times: number) => {
  let left = times
  return jest.fn(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    if (left-- > 0) throw new ConnectError('not now', code)
  })
}

test('a marker is sent again until it succeeds if the server is unavailable', async () => {
  const mark = failingRequest(Code.Unavailable, 3)
  new ReadMarker(mark).markSeen('a')
  await jest.advanceTimersByTimeAsync(20_000)
  expect(mark).toHaveBeenCalledTimes(4)
})

test('after a refusal, only another row is marked; after the view is closed, a failed request is not repeated', async () => {
  const refused = failingRequest(Code.PermissionDenied, 1)
  const marker = new ReadMarker(refused)
  marker.markSeen('a')
  await jest.advanceTimersByTimeAsync(10_000)
  expect(refused).toHaveBeenCalledTimes(1)
  marker.markSeen('b')
  expect(refused).toHaveBeenCalledTimes(2)

  const gone = failingRequest(Code.Unavailable, 3)
  const closed = new ReadMarker(gone)
  closed.markSeen('a')
  closed.close()
  await jest.advanceTimersByTimeAsync(10_000)
  expect(gone).toHaveBeenCalledTimes(1)
})

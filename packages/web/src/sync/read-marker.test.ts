import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { ReadMarker } from './read-marker.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('the first row is told at once, of many more only the newest', async () => {
  const told = jest.fn(() => Promise.resolve())
  const marker = new ReadMarker(told)
  for (const id of ['a', 'b', 'c']) marker.saw(id)
  expect(told).toHaveBeenCalledTimes(1)
  await jest.advanceTimersByTimeAsync(1_000)
  expect(told).toHaveBeenCalledTimes(2)
  await jest.advanceTimersByTimeAsync(5_000)
  expect(told).toHaveBeenCalledTimes(2)
})

test('what waits is told when somebody goes elsewhere', () => {
  const told = jest.fn(() => Promise.resolve())
  const marker = new ReadMarker(told)
  marker.saw('a')
  marker.saw('b')
  marker.flush()
  marker.close()
  expect(told).toHaveBeenCalledTimes(2)
})

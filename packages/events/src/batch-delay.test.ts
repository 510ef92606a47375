import { afterEach, expect, jest, test } from '@jest/globals'
import { BatchDelay } from './batch-delay.ts'

afterEach(() => void jest.useRealTimers())

test('wait resolves after the delay, or once the batch is full', async () => {
  jest.useFakeTimers()
  const delay = new BatchDelay(100, 3)
  const done: string[] = []
  const wait = (name: string, count: number) => delay.wait(count).then(() => done.push(name))

  const slow = wait('slow', 1)
  delay.reportCount(2)
  await jest.advanceTimersByTimeAsync(99)
  expect(done).toEqual([])
  await jest.advanceTimersByTimeAsync(1)
  await slow
  const before = jest.getTimerCount()
  const full = wait('full', 1)
  delay.reportCount(3)
  await full
  await wait('at once', 3)
  expect(done).toEqual(['slow', 'full', 'at once'])
  expect(jest.getTimerCount()).toBe(before)
})

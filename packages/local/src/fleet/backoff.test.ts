import { expect, test } from '@jest/globals'
import { Backoff } from './backoff.ts'

test('the delay grows with each crash, up to a limit', () => {
  const backoff = new Backoff()
  const delays = Array.from({ length: 9 }, () => backoff.nextDelayMs(100))
  expect(delays.slice(0, 4)).toEqual([250, 500, 1000, 2000])
  expect(delays.at(-1)).toBe(15_000)
})

test('the delay starts over after a process that ran long enough', () => {
  const backoff = new Backoff()
  backoff.nextDelayMs(100)
  backoff.nextDelayMs(100)
  expect(backoff.nextDelayMs(60_000)).toBe(250)
})

import { expect, test } from '@jest/globals'
import { backoffMs } from './backoff.ts'

const backoff = { initialMs: 100, maxMs: 1_000 }

test('delays double up to the maximum', () => {
  const delays = [1, 2, 3, 4, 5, 60].map((failures) => backoffMs(backoff, failures, () => 1))
  expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000])
})

test('jitter shortens a delay by up to half', () => {
  expect(backoffMs(backoff, 1, () => 0)).toBe(50)
  expect(backoffMs(backoff, 1, () => 0.5)).toBe(75)
})

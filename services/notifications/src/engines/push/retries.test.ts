import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { retryLimits, retryPauseMs } from './retries.ts'

const failed = { attempts: 1, ageMs: 0, retryAfterMs: 0 }

test.each([
  [1, 2_000],
  [2, 4_000],
  [5, 32_000],
  [9, 512_000],
  [10, 600_000],
  [2000, 600_000],
])('after failure %d the pause is at most %d ms, and at least half of it', (attempts, longest) => {
  const pause = retryPauseMs({ ...failed, attempts }, retryLimits)
  expect(pause).toBeLessThanOrEqual(longest)
  expect(pause).toBeGreaterThanOrEqual(longest / 2)
})

test('the pause is at least as long as the push service requests', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 3_600_000 }), (attempts, retryAfterMs) => {
      expect(retryPauseMs({ ...failed, attempts, retryAfterMs }, retryLimits)).toBeGreaterThanOrEqual(retryAfterMs)
    }),
  )
})

test('a push is given up if its next attempt would be too late', () => {
  expect(retryPauseMs({ ...failed, ageMs: retryLimits.giveUpMs - 10_000 }, retryLimits)).toBeDefined()
  expect(retryPauseMs({ ...failed, ageMs: retryLimits.giveUpMs - 500 }, retryLimits)).toBeUndefined()
  expect(
    retryPauseMs({ ...failed, ageMs: retryLimits.giveUpMs - 10_000, retryAfterMs: 60_000 }, retryLimits),
  ).toBeUndefined()
})

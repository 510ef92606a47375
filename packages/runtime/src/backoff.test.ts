import { expect, test } from '@jest/globals'
import { backoffMs } from './backoff.ts'

test.each([
  [1, 7],
  [2, 14],
  [5, 112],
  [6, 200],
  [2000, 200],
])('the pause after failure %d is at most %d whole milliseconds, and at least half of it', (failures, whole) => {
  for (let n = 0; n < 100; n++) {
    const pause = backoffMs({ initialMs: 7, maxMs: 200 }, failures)
    expect(Number.isInteger(pause)).toBe(true)
    expect(pause).toBeLessThanOrEqual(whole)
    expect(pause).toBeGreaterThanOrEqual(whole / 2)
  }
})

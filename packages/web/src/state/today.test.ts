import { afterEach, expect, jest, test } from '@jest/globals'
import { followDays, today } from './today.ts'

afterEach(() => void jest.useRealTimers())

test('the day changes at midnight, and after the device has slept', () => {
  jest.useFakeTimers({ now: new Date(2026, 11, 31, 23, 58, 30) })
  const stop = followDays()
  const shown: string[] = []
  const unsubscribe = today.subscribe(() => shown.push(today.value.toDateString()))
  jest.advanceTimersByTime(89_999)
  expect(shown).toEqual([])
  jest.advanceTimersByTime(1)
  expect(shown).toEqual(['Fri Jan 01 2027'])
  jest.setSystemTime(new Date(2027, 0, 4, 8))
  jest.advanceTimersByTime(60_000)
  expect(shown.slice(1)).toEqual(['Mon Jan 04 2027'])
  stop()
  unsubscribe()
  jest.advanceTimersByTime(48 * 3_600_000)
  expect(shown.length).toBe(2)
})

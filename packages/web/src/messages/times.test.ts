import { expect, test } from '@jest/globals'
import { formatBytes, formatClock, formatDay, formatShortTime, formatTime } from './times.ts'

test('a time on another day is shown with its date', () => {
  const [now, before] = [new Date(), new Date()]
  before.setDate(before.getDate() - 1)
  expect(formatShortTime(now, now)).toMatch(/^\d+:\d+( [AP]M)?$/)
  expect(formatShortTime(before, now)).toMatch(new RegExp(`${before.getFullYear()}.*\\d+:\\d+`))
})

const noon = (year: number, month: number, date: number) => new Date(year, month - 1, date, 12)
test.each([
  ['en', new Date(2026, 2, 1), 'Today'],
  ['en', new Date(2026, 1, 28, 23, 59, 59), 'Yesterday'],
  ['en', noon(2026, 2, 27), 'Friday, February 27'],
  ['en', noon(2026, 3, 2), 'Monday, March 2'],
  ['en', noon(2025, 3, 1), 'Saturday, March 1, 2025'],
  ['de', noon(2026, 2, 27), 'Freitag, 27. Februar'],
  ['de', noon(2026, 3, 1), 'Heute'],
  ['de-CH', noon(2026, 2, 28), 'Gestern'],
])('on 1 March 2026, in %s, %s is called %s', (locale, at, name) =>
  expect(formatDay(at, new Date(2026, 2, 1, 0, 30), locale)).toBe(name),
)

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [73, '73 bytes'],
  [64_500, '64.5 kB'],
  [3_000_000, '3 MB'],
])('%d bytes are shown as %s', (size, shown) => expect(formatBytes(size)).toBe(shown))

test.each([
  ['en-US', '4:16 AM', '4:16'],
  ['en-GB', '04:16', '04:16'],
  ['de', '04:16', '04:16'],
  ['de-CH', '04:16', '04:16'],
])('in %s, a time of day is shown as %s, and where there is little room as %s', (locale, time, clock) => {
  const at = new Date(2026, 2, 1, 4, 16)
  expect([formatTime('time', at, locale).replaceAll(/\s/g, ' '), formatClock(at, locale)]).toEqual([time, clock])
})

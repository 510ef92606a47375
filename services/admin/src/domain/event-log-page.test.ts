import { expect, test } from '@jest/globals'
import { toLogPage } from './event-log-page.ts'

/** The entries have the sequences 100, 99, ...; those at the given positions match. */
const scanned = (count: number, scan: number, positions: number[]) => ({
  entries: positions.map((scanPosition) => ({ sequence: 101n - BigInt(scanPosition), scanPosition })),
  count,
  oldest: count === 0 ? null : 101n - BigInt(Math.min(count, scan)),
})

test('a full page ends at its last entry, and reports whether older entries were available', () => {
  expect(toLogPage(scanned(6, 10, [1, 2, 5]), 3, 10)).toMatchObject({
    hasOlder: true,
    endCursor: '96',
    scannedCount: 5,
    scanLimited: false,
  })
  expect(toLogPage(scanned(5, 10, [1, 2, 5]), 3, 10)).toMatchObject({ hasOlder: false, endCursor: '96' })
})

test('a scan whose last entry fills the page does not count as limited', () => {
  expect(toLogPage(scanned(11, 10, [1, 10]), 2, 10)).toMatchObject({
    hasOlder: true,
    endCursor: '91',
    scanLimited: false,
  })
})

test('the cursor of a limited scan is the last scanned entry', () => {
  expect(toLogPage(scanned(11, 10, [3]), 2, 10)).toMatchObject({
    hasOlder: true,
    endCursor: '91',
    scannedCount: 10,
    scanLimited: true,
  })
  expect(toLogPage(scanned(11, 10, []), 2, 10)).toMatchObject({ entries: [], endCursor: '91', scanLimited: true })
})

test('a scan that reaches the oldest entry reports that there are no older ones', () => {
  expect(toLogPage(scanned(10, 10, [3]), 2, 10)).toMatchObject({
    hasOlder: false,
    endCursor: '98',
    scannedCount: 10,
    scanLimited: false,
  })
  expect(toLogPage(scanned(4, 10, []), 2, 10)).toMatchObject({ hasOlder: false, endCursor: '97', scannedCount: 4 })
  expect(toLogPage(scanned(0, 10, []), 2, 10)).toEqual({
    entries: [],
    hasOlder: false,
    scannedCount: 0,
    scanLimited: false,
  })
})

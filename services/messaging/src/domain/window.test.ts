import { describe, expect, test } from '@jest/globals'
import { pageBytes } from './page-bytes.ts'
import { clampLimit, windowAround, windowAt } from './window.ts'

test.each([
  [-1, 50],
  [0, 50],
  [1, 1],
  [500, 500],
  [501, 500],
  [2 ** 31 - 1, 500],
])('a requested limit of %i means %i rows', (limit, rows) => {
  expect(clampLimit(limit)).toBe(rows)
})

const row = (id: number, bytes = 1) => ({ id, bytes })
const ids = <W extends { rows: { id: number }[] }>({ rows, ...rest }: W) => ({
  rows: rows.map(({ id }) => id),
  ...rest,
})

describe('windowAround', () => {
  const around = (total: number, anchor: number, limit: number, bytes = 1) => {
    const all = Array.from({ length: total }, (_, index) => row(index, bytes))
    const older = all.slice(Math.max(0, anchor - limit), anchor)
    return ids(windowAround(limit, older, all.slice(anchor, anchor + limit + 1)))
  }

  test('puts the anchor in the middle', () => {
    expect(around(100, 50, 5)).toEqual({ rows: [48, 49, 50, 51, 52], target: 2, hasOlder: true, hasNewer: true })
    expect(around(100, 50, 4)).toEqual({ rows: [49, 50, 51, 52], target: 1, hasOlder: true, hasNewer: true })
    expect(around(100, 50, 1)).toEqual({ rows: [50], target: 0, hasOlder: true, hasNewer: true })
  })

  test('shifts the window at both ends', () => {
    expect(around(100, 0, 4)).toEqual({ rows: [0, 1, 2, 3], target: 0, hasOlder: false, hasNewer: true })
    expect(around(100, 99, 4)).toEqual({ rows: [96, 97, 98, 99], target: 3, hasOlder: true, hasNewer: false })
    expect(around(100, 98, 5)).toEqual({ rows: [95, 96, 97, 98, 99], target: 3, hasOlder: true, hasNewer: false })
  })

  test('fills the window while there are rows, for every anchor and limit', () => {
    for (let total = 1; total <= 8; total++) {
      for (let anchor = 0; anchor < total; anchor++) {
        for (let limit = 1; limit <= 10; limit++) {
          const { rows, target, hasOlder, hasNewer } = around(total, anchor, limit)
          expect(rows).toHaveLength(Math.min(limit, total))
          expect(rows[target]).toBe(anchor)
          expect(hasOlder).toBe(rows[0] !== 0)
          expect(hasNewer).toBe(rows.at(-1) !== total - 1)
        }
      }
    }
  })

  test('drops rows of the longer side while the sum of their bytes exceeds that of a page', () => {
    const third = pageBytes / 3
    expect(around(100, 50, 9, third)).toEqual({ rows: [49, 50, 51], target: 1, hasOlder: true, hasNewer: true })
    expect(around(100, 0, 9, third)).toEqual({ rows: [0, 1, 2], target: 0, hasOlder: false, hasNewer: true })
    expect(around(100, 99, 9, third)).toEqual({ rows: [97, 98, 99], target: 2, hasOlder: true, hasNewer: false })
    expect(around(100, 50, 9, pageBytes + 1)).toEqual({ rows: [50], target: 0, hasOlder: true, hasNewer: true })
  })
})

describe('windowAt', () => {
  const rows = [row(1), row(2), row(3)]
  const at = (...args: Parameters<typeof windowAt<ReturnType<typeof row>>>) => ids(windowAt(...args))

  test('drops the oldest row of an older page if it exceeds the limit', () => {
    expect(at(2, undefined, rows)).toEqual({ rows: [2, 3], hasOlder: true, hasNewer: false })
    expect(at(3, undefined, rows)).toEqual({ rows: [1, 2, 3], hasOlder: false, hasNewer: false })
    expect(at(2, { before: 4n }, rows)).toEqual({ rows: [2, 3], hasOlder: true, hasNewer: true })
  })

  test('drops the newest row of a newer page if it exceeds the limit', () => {
    expect(at(2, { after: 0n }, rows)).toEqual({ rows: [1, 2], hasOlder: true, hasNewer: true })
    expect(at(3, { after: 0n }, rows)).toEqual({ rows: [1, 2, 3], hasOlder: true, hasNewer: false })
  })

  test('limits pages by their bytes, and returns at least one row', () => {
    const half = pageBytes / 2
    const halves = [row(1, half), row(2, half), row(3, half)]
    expect(at(9, undefined, halves)).toEqual({ rows: [2, 3], hasOlder: true, hasNewer: false })
    expect(at(9, { before: 4n }, [row(1), row(2, 2 * half)])).toEqual({ rows: [2], hasOlder: true, hasNewer: true })
    expect(at(9, { after: 0n }, halves)).toEqual({ rows: [1, 2], hasOlder: true, hasNewer: true })
    expect(at(9, { after: 0n }, [row(1, 3 * half)])).toEqual({ rows: [1], hasOlder: true, hasNewer: false })
  })
})

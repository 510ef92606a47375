import type { Position } from './cursor.ts'
import { countFitting, pageBytes } from './page-bytes.ts'

const defaultLimit = 50
const maxLimit = 500

/** The number of rows on a page: the requested limit, within bounds. */
export function clampLimit(limit: number): number {
  return limit <= 0 ? defaultLimit : Math.min(limit, maxLimit)
}

/** A row with the number of bytes that it adds to a page. */
type Sized = { bytes: number }

export type Window<T> = { rows: T[]; hasOlder: boolean; hasNewer: boolean }

/**
 * Selects up to `limit` rows around an anchor, (limit - 1) / 2 of them before it. If one side has too few rows, the
 * other gets more. If the rows exceed `pageBytes`, rows are dropped from the end of the longer side. `older` has up to
 * `limit` rows before the anchor, `from` up to `limit` + 1 from the anchor on, both oldest first; either may have fewer
 * if its rows exceed a page. `target` is the index of the anchor.
 */
export function windowAround<T extends Sized>(limit: number, older: T[], from: T[]): Window<T> & { target: number } {
  const wantedBefore = Math.floor((limit - 1) / 2)
  let after = Math.min(from.length - 1, Math.max(limit - 1 - wantedBefore, limit - 1 - older.length))
  let before = Math.min(older.length, limit - 1 - after)
  const rows = [...older.slice(older.length - before), ...from.slice(0, after + 1)]
  let bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  while (bytes > pageBytes && rows.length > 1) {
    const dropped = before > after ? rows.shift() : rows.pop()
    if (before > after) before--
    else after--
    bytes -= dropped?.bytes ?? 0
  }
  return { rows, target: before, hasOlder: older.length > before, hasNewer: from.length > after + 1 }
}

/**
 * Selects a page of up to `limit` rows at a position. `rows`, oldest first, contains the page and, if there is another
 * one, its nearest row.
 */
export function windowAt<T extends Sized>(limit: number, position: Position, rows: T[]): Window<T> {
  const newer = position !== undefined && 'after' in position
  const sizes = rows.map(({ bytes }) => bytes)
  const shown = countFitting(limit, newer ? sizes : sizes.toReversed())
  const more = rows.length > shown
  return {
    rows: newer ? rows.slice(0, shown) : rows.slice(rows.length - shown),
    hasOlder: newer || more,
    hasNewer: newer ? more : position !== undefined,
  }
}

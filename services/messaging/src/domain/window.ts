import type { Position } from './cursor.ts'
import { countFitting, pageBytes } from './page-bytes.ts'

const defaultLimit = 50
const maxLimit = 500

/** The maximum number of rows on a page: the requested limit, but at most 500; 50 if it is not positive. */
export function clampLimit(limit: number): number {
  return limit <= 0 ? defaultLimit : Math.min(limit, maxLimit)
}

/** A row with the number of bytes that it adds to a page. */
type Sized = { bytes: number }

export type Window<T> = { rows: T[]; hasOlder: boolean; hasNewer: boolean }

/**
 * Selects up to `limit` rows with the anchor in the middle; if `limit` is even, one row more after it than before. If
 * one side has too few rows, the other gets more. While the rows exceed `pageBytes`, the outermost row of the longer
 * side is dropped. `older` has up to `limit` rows before the anchor, `anchorAndNewer` the anchor and up to `limit` rows
 * after it, both oldest first; either may have fewer if its rows exceed a page. `target` is the index of the anchor in
 * the selected rows.
 */
export function windowAround<T extends Sized>(
  limit: number,
  older: T[],
  anchorAndNewer: T[],
): Window<T> & { target: number } {
  const wantedBefore = Math.floor((limit - 1) / 2)
  let after = Math.min(anchorAndNewer.length - 1, Math.max(limit - 1 - wantedBefore, limit - 1 - older.length))
  let before = Math.min(older.length, limit - 1 - after)
  const rows = [...older.slice(older.length - before), ...anchorAndNewer.slice(0, after + 1)]
  let bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  while (bytes > pageBytes && rows.length > 1) {
    const dropped = before > after ? rows.shift() : rows.pop()
    if (before > after) before--
    else after--
    bytes -= dropped?.bytes ?? 0
  }
  return { rows, target: before, hasOlder: older.length > before, hasNewer: anchorAndNewer.length > after + 1 }
}

/**
 * Selects a page of up to `limit` rows at a position. `rows`, oldest first, contains the rows of the page and, if more
 * rows follow in the direction of reading, at least the next one. A page before or after a place has rows on its other
 * side too: at least the row at that place.
 */
export function windowAt<T extends Sized>(limit: number, position: Position, rows: T[]): Window<T> {
  const readsNewer = position !== undefined && 'after' in position
  const sizes = rows.map(({ bytes }) => bytes)
  const shown = countFitting(limit, readsNewer ? sizes : sizes.toReversed())
  const more = rows.length > shown
  return {
    rows: readsNewer ? rows.slice(0, shown) : rows.slice(rows.length - shown),
    hasOlder: readsNewer || more,
    hasNewer: readsNewer ? more : position !== undefined,
  }
}

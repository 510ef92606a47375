import type { Position } from './cursor.ts'
import { countFitting, pageBytes } from './page-bytes.ts'

const defaultLimit = 50
const maxLimit = 500

export function clampLimit(limit: number): number {
  return limit <= 0 ? defaultLimit : Math.min(limit, maxLimit)
}

type Sized = { bytes: number }

export type Window<T> = { rows: T[]; hasOlder: boolean; hasNewer: boolean }

/**
 * Selects up to `limit` rows around the anchor; an even `limit` leaves one row more after it than before. If one side
 * has too few rows, the other gets more. While the rows exceed `pageBytes`, the outermost row of the longer side is
 * dropped. `older` and `anchorAndNewer` have up to `limit` rows beside the anchor, oldest first, or fewer if these
 * exceed a page. `target` is the index of the anchor.
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
 * Selects up to `limit` of `rows`, which are oldest first: the first ones if `position` is `after`, otherwise the last
 * ones. If rows are left out, there are more in that direction. With a `position`, there is also more in the other
 * direction: at least the row at that place.
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

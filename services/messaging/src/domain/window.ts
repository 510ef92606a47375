import type { Position } from './cursor.ts'

const defaultLimit = 50
const maxLimit = 500

/** How many rows a timeline read gives. */
export function clampLimit(limit: number): number {
  return limit <= 0 ? defaultLimit : Math.min(limit, maxLimit)
}

export type Window<T> = { rows: T[]; hasOlder: boolean; hasNewer: boolean }

/**
 * A window of `limit` rows with (limit - 1) / 2 before the anchor, shifted at an end so that it stays full while there are
 * rows. `older` holds up to `limit` rows before the anchor, `from` up to `limit` + 1 from the anchor on, both oldest first.
 */
export function windowAround<T>(limit: number, older: T[], from: T[]): Window<T> & { target: number } {
  const wantedBefore = Math.floor((limit - 1) / 2)
  const after = Math.min(from.length - 1, Math.max(limit - 1 - wantedBefore, limit - 1 - older.length))
  const before = Math.min(older.length, limit - 1 - after)
  return {
    rows: [...older.slice(older.length - before), ...from.slice(0, after + 1)],
    target: before,
    hasOlder: older.length > before,
    hasNewer: from.length > after + 1,
  }
}

/** The page of up to `limit` rows at a position; `rows` holds one more, where there is one, oldest first. */
export function windowAt<T>(limit: number, position: Position, rows: T[]): Window<T> {
  const more = rows.length > limit
  const newer = position !== undefined && 'after' in position
  return {
    rows: newer ? rows.slice(0, limit) : rows.slice(-limit),
    hasOlder: newer || more,
    hasNewer: newer ? more : position !== undefined,
  }
}

/** Columns of an outbox entry whose payload has holes for a number that the statement which stores it draws. */
export type EntryWithHoles = {
  shard: number
  aggregate: string
  subject: string
  payload: Buffer
  /** Positions of the holes, starting at 1 as in SQL. */
  holes: readonly number[]
}

/** A number to be encoded as a placeholder, and the length of its varint in bytes. */
type Placeholder = { value: bigint; bytes: number }

/** Holes for a place in the log of a room, which may have up to 42 bits. */
export const anyPlace: Placeholder = { value: 2n ** 35n, bytes: 6 }
/** Holes for a version that follows the clock, which may have up to 56 bits. */
export const anyVersion: Placeholder = { value: 2n ** 49n, bytes: 8 }

/**
 * Finds the `count` holes in a payload. The encoding of a placeholder occurs nowhere else in it: ids and kinds are ASCII.
 */
export function findHoles(payload: Buffer, { bytes }: Placeholder, count: number): number[] {
  const hole = Buffer.from([...Array.from({ length: bytes - 1 }, () => 0x80), 0x01])
  const holes: number[] = []
  for (let at = payload.indexOf(hole); at >= 0; at = payload.indexOf(hole, at + bytes)) holes.push(at + 1)
  if (holes.length !== count) throw new Error(`the entry has ${holes.length} holes instead of ${count}`)
  return holes
}

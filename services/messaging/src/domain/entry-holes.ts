/**
 * Columns of an outbox entry that is complete except for a number, which the statement that stores the entry assigns.
 * The payload has holes for the number.
 */
export type EntryWithHoles = {
  shard: number
  aggregate: string
  subject: string
  payload: Buffer
  /** Positions of the holes in the payload, counted from 1 as in SQL. */
  holes: readonly number[]
}

/** A number that is encoded instead of the one to be assigned, and the length of its varint in bytes. */
type Placeholder = { value: bigint; bytes: number }

/** For a place in the log of a room, which may have up to 42 bits. */
export const roomSeqPlaceholder: Placeholder = { value: 2n ** 35n, bytes: 6 }
/** For a version derived from the clock, which may have up to 56 bits. */
export const versionPlaceholder: Placeholder = { value: 2n ** 49n, bytes: 8 }

/**
 * Finds the holes in a payload that was encoded with a placeholder. Throws unless there are `count` of them. No other
 * part of a payload contains the same bytes, because its texts are ASCII and its other numbers have fewer bytes.
 */
export function findHoles(payload: Buffer, { bytes }: Placeholder, count: number): number[] {
  const hole = Buffer.from([...Array.from({ length: bytes - 1 }, () => 0x80), 0x01])
  const holes: number[] = []
  for (let at = payload.indexOf(hole); at >= 0; at = payload.indexOf(hole, at + bytes)) holes.push(at + 1)
  if (holes.length !== count) throw new Error(`the entry has ${holes.length} holes instead of ${count}`)
  return holes
}

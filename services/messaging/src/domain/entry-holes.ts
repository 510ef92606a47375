/**
 * An outbox entry whose payload still lacks a place or version: it has holes for this number, which the statement that
 * stores the entry assigns.
 */
export type EntryWithHoles = {
  shard: number
  aggregate: string
  subject: string
  payload: Buffer
  /** Counted from 1, as in SQL. */
  holes: readonly number[]
}

/** Encoded in place of the number. `bytes`: the length of its varint. */
type Placeholder = { value: bigint; bytes: number }

/** For a place in the log of a room, which may have up to 42 bits. */
export const roomSeqPlaceholder: Placeholder = { value: 2n ** 35n, bytes: 6 }
/** For a version derived from the clock, which may have up to 56 bits. */
export const versionPlaceholder: Placeholder = { value: 2n ** 49n, bytes: 8 }

/**
 * Throws unless the payload has `count` holes. Nothing else in a payload contains the same bytes: its texts are ASCII,
 * and its other numbers have fewer bytes.
 */
export function findHoles(payload: Buffer, { bytes }: Placeholder, count: number): number[] {
  const hole = Buffer.from([...Array.from({ length: bytes - 1 }, () => 0x80), 0x01])
  const holes: number[] = []
  for (let at = payload.indexOf(hole); at >= 0; at = payload.indexOf(hole, at + bytes)) holes.push(at + 1)
  if (holes.length !== count) throw new Error(`the entry has ${holes.length} holes instead of ${count}`)
  return holes
}

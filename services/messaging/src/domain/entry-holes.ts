/** Columns of an outbox entry whose payload has two holes, to be filled with the message's place in the log. */
export type PostedEntry = {
  shard: number
  aggregate: string
  subject: string
  payload: Buffer
  /** Positions of the holes, starting at 1 as in SQL. */
  holes: readonly [number, number]
}

/** Length of a hole. A place of up to 42 bits fits in as a varint. */
export const holeBytes = 6

/**
 * A placeholder for a place. Its encoding fills a hole, and occurs nowhere else in an entry: ids and kinds are ASCII.
 */
export const anyPlace = 2n ** 35n
const hole = Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x01])

/** Finds the two holes: the event's version and its fact's room_seq. */
export function findHoles(payload: Buffer): readonly [number, number] {
  const [first, second] = [payload.indexOf(hole), payload.lastIndexOf(hole)]
  if (first < 0 || first === second) throw new Error('the entry does not have two holes')
  return [first + 1, second + 1]
}

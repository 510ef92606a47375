import { encodeBatch, maxBatchBytes, maxBatchEvents } from '../stream/batches.ts'
import type { Shard } from './shard.ts'
import type { Entry } from './store.ts'

/** One bus message: consecutive entries of one aggregate with the same subject. */
export type Batch = {
  subject: string
  entries: readonly Entry[]
  data: Buffer
  /** How often it was sent without an answer. */
  failures: number
}

/** The waiting entries of one aggregate, in order, and the message of it that is under way. */
export class Line {
  readonly shard: Shard
  readonly aggregate: string
  /** The message to send next, or under way; kept as it is until it is stored, so that a repetition is recognised. */
  batch: Batch | undefined
  /** A message of this line is under way or about to be. */
  busy = false
  /** The shard forgot this line: what is still under way no longer counts. */
  dropped = false
  #waiting: Entry[] = []
  #alone = 0

  constructor(shard: Shard, aggregate: string) {
    this.shard = shard
    this.aggregate = aggregate
  }

  /** Whether nothing is left to send. */
  get empty(): boolean {
    return this.batch === undefined && this.#waiting.length === 0
  }

  add(entry: Entry): void {
    this.#waiting.push(entry)
  }

  /** The message to send now. */
  next(): Batch | undefined {
    if (this.batch !== undefined || this.#waiting.length === 0) return this.batch
    const size = this.#alone > 0 ? 1 : batchSize(this.#waiting)
    this.#alone = Math.max(0, this.#alone - 1)
    const entries = this.#waiting.splice(0, size)
    const data = encodeBatch(entries.map((entry) => entry.payload))
    const subject = entries[0]?.subject ?? ''
    return (this.batch = { subject, entries, data, failures: 0 })
  }

  /** The message is stored. */
  stored(): void {
    this.batch = undefined
  }

  /** Takes the message apart; its entries, changed or not, go out one by one. */
  sendAlone(entries: readonly Entry[]): void {
    this.#waiting.unshift(...entries)
    this.#alone += entries.length
    this.batch = undefined
  }
}

/** How many entries from the first on ride in one message. */
export function batchSize(waiting: readonly Pick<Entry, 'subject' | 'payload'>[]): number {
  const subject = waiting[0]?.subject
  let bytes = 0
  let size = 0
  for (const entry of waiting) {
    bytes += entry.payload.length
    if (entry.subject !== subject || size === maxBatchEvents || (size > 0 && bytes > maxBatchBytes)) break
    size++
  }
  return size
}

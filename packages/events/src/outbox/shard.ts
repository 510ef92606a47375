import { batchSize, encodeBatch } from '../stream/batches.ts'
import type { Place, Places } from '../stream/place.ts'
import { isValid, type Lease } from './leases.ts'
import type { Entry, ShardPlace } from './store.ts'

/**
 * `unverified`: nothing is published before the place has been looked up in the stream. `lost`: the place is missing,
 * so entries must be relayed again first. `ready`: entries are published.
 */
export type ShardState = 'unverified' | 'lost' | 'ready'

/** A shard this process relays: its lease, its place on the stream, its in-flight lines. */
export class Shard implements Places {
  readonly lease: Lease
  state: ShardState = 'unverified'
  /** No new entries are taken; the lease is released once nothing is in flight. */
  releasing = false
  /** How often the stream was lost under this shard. */
  generation: number
  newest: Place | undefined
  anchor: Place | undefined
  lost: Place | undefined
  readonly lines = new Map<string, Line>()
  /** Entries read and not yet marked: whether the stream has them. */
  readonly inHand = new Map<bigint, boolean>()
  /** Lines in progress; those with nothing left to send stay until their entries are marked. */
  holding = { dropped: false }

  constructor(lease: Lease, { generation, place }: Pick<ShardPlace, 'generation' | 'place'>) {
    this.lease = lease
    this.generation = generation
    this.newest = place
    this.anchor = place
  }

  /** Whether this process may publish for the shard now. */
  get mayPublish(): boolean {
    return this.state === 'ready' && isValid(this.lease)
  }

  /** Adds an entry to the in-flight ones; returns its line. */
  take(entry: Entry): Line {
    this.inHand.set(entry.id, false)
    let line = this.lines.get(entry.aggregate)
    if (line === undefined) {
      line = new Line(this, entry.aggregate)
      this.lines.set(entry.aggregate, line)
    }
    line.add(entry)
    return line
  }

  /** Records that the stream has these entries, the last of them at `place`. */
  stored(line: Line, entries: readonly Entry[], place: Place): void {
    for (const entry of entries) this.inHand.set(entry.id, true)
    if (this.newest === undefined || this.newest.seq < place.seq) this.newest = place
    line.stored()
    if (line.empty) this.lines.delete(line.aggregate)
  }

  /** Drops all entries in memory; those not marked as relayed will be read again. */
  clear(): void {
    this.holding.dropped = true
    this.holding = { dropped: false }
    this.lines.clear()
    this.inHand.clear()
  }

  /**
   * The message id of an entry, by which the stream drops duplicates. It contains the number of stream losses, because
   * entries must then be stored again, and the event id, because a restored database reuses entry numbers.
   */
  messageId(service: string, entry: Entry): string {
    return `${service}-${entry.id}-${entry.eventId}${this.generation === 0 ? '' : `-${this.generation}`}`
  }
}

/** One bus message: consecutive entries of one aggregate with the same subject. */
export type Batch = {
  subject: string
  entries: readonly Entry[]
  data: Buffer
  /** How often it was sent without an answer. */
  failures: number
}

/** The waiting entries of one aggregate, in order, and its message in flight. */
export class Line {
  readonly shard: Shard
  readonly aggregate: string
  /** The message to send next or in flight; unchanged until it is stored, so that a duplicate is recognised. */
  batch: Batch | undefined
  /** Whether a message of this line is in flight or about to be sent. */
  busy = false
  readonly #holding: Shard['holding']
  #waiting: Entry[] = []
  #alone = 0

  constructor(shard: Shard, aggregate: string) {
    this.shard = shard
    this.aggregate = aggregate
    this.#holding = shard.holding
  }

  /** Whether the shard dropped this line; pending results are then ignored. */
  get dropped(): boolean {
    return this.#holding.dropped
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

  /** Splits the message, so that its entries, changed or not, are sent one by one. */
  sendAlone(entries: readonly Entry[]): void {
    this.#waiting.unshift(...entries)
    this.#alone += entries.length
    this.batch = undefined
  }
}

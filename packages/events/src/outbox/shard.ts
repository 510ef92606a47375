import { batchSize, encodeBatch } from '../stream/batches.ts'
import type { Position, Positions } from '../stream/position.ts'
import { isValid, type Lease } from './leases.ts'
import type { Entry, ShardPosition } from './store.ts'

/**
 * `unverified`: nothing is published until the positions have been found on the stream. `recovering`: a position is
 * missing, so older entries must be relayed again first. `ready`: entries are published.
 */
export type ShardState = 'unverified' | 'recovering' | 'ready'

export class Shard implements Positions {
  readonly lease: Lease
  state: ShardState = 'unverified'
  /** Whether the lease will be released once nothing is in flight; until then no new entries are taken. */
  isReleasing = false
  generation: number
  newest: Position | undefined
  anchor: Position | undefined
  lost: Position | undefined
  readonly queues = new Map<string, AggregateQueue>()
  /** Entries read and not yet marked; the value tells whether the stream has the entry. */
  readonly inFlight = new Map<bigint, boolean>()
  /** Shared by the queues created since the last `clear`; the next `clear` marks them as dropped. */
  epoch = { isDropped: false }

  constructor(lease: Lease, { generation, position }: Pick<ShardPosition, 'generation' | 'position'>) {
    this.lease = lease
    this.generation = generation
    this.newest = position
    this.anchor = position
  }

  get mayPublish(): boolean {
    return this.state === 'ready' && isValid(this.lease)
  }

  take(entry: Entry): AggregateQueue {
    this.inFlight.set(entry.id, false)
    let queue = this.queues.get(entry.aggregate)
    if (queue === undefined) {
      queue = new AggregateQueue(this, entry.aggregate)
      this.queues.set(entry.aggregate, queue)
    }
    queue.add(entry)
    return queue
  }

  recordStored(queue: AggregateQueue, entries: readonly Entry[], position: Position): void {
    for (const entry of entries) this.inFlight.set(entry.id, true)
    if (this.newest === undefined || this.newest.seq < position.seq) this.newest = position
    queue.markStored()
    if (queue.isEmpty) this.queues.delete(queue.aggregate)
  }

  clear(): void {
    this.epoch.isDropped = true
    this.epoch = { isDropped: false }
    this.queues.clear()
    this.inFlight.clear()
  }

  /**
   * The stream drops duplicates by this id. It contains the number of stream losses, because entries must be stored
   * again after a loss, and the event id, because a restored database reuses entry ids.
   */
  messageId(service: string, entry: Entry): string {
    return `${service}-${entry.id}-${entry.eventId}${this.generation === 0 ? '' : `-${this.generation}`}`
  }
}

export type Batch = {
  subject: string
  entries: readonly Entry[]
  data: Buffer
  failures: number
}

export class AggregateQueue {
  readonly shard: Shard
  readonly aggregate: string
  /**
   * The message in flight, or to send next. It does not change until it is stored, so that the stream can drop
   * duplicates.
   */
  batch: Batch | undefined
  isBusy = false
  readonly #epoch: Shard['epoch']
  #waiting: Entry[] = []
  #separateCount = 0

  constructor(shard: Shard, aggregate: string) {
    this.shard = shard
    this.aggregate = aggregate
    this.#epoch = shard.epoch
  }

  /** Whether the shard dropped this queue; pending results are then ignored. */
  get isDropped(): boolean {
    return this.#epoch.isDropped
  }

  get isEmpty(): boolean {
    return this.batch === undefined && this.#waiting.length === 0
  }

  add(entry: Entry): void {
    this.#waiting.push(entry)
  }

  nextBatch(): Batch | undefined {
    if (this.batch !== undefined || this.#waiting.length === 0) return this.batch
    const size = this.#separateCount > 0 ? 1 : batchSize(this.#waiting)
    this.#separateCount = Math.max(0, this.#separateCount - 1)
    const entries = this.#waiting.splice(0, size)
    const data = encodeBatch(entries.map((entry) => entry.payload))
    const subject = entries[0]?.subject ?? ''
    return (this.batch = { subject, entries, data, failures: 0 })
  }

  markStored(): void {
    this.batch = undefined
  }

  sendSeparately(entries: readonly Entry[]): void {
    this.#waiting.unshift(...entries)
    this.#separateCount += entries.length
    this.batch = undefined
  }
}

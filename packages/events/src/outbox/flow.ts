import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger, withoutTrace } from '@parley/telemetry'
import { countRelayed, countSkipped, countPublishFailure } from '../metrics.ts'
import type { HeldShards } from './held-shards.ts'
import { Marker } from './marker.ts'
import { skippedEvent } from './skipped-event.ts'
import { Sender } from './sender.ts'
import type { Batch, AggregateQueue, Shard } from './shard.ts'
import { singleFlight } from './single-flight.ts'
import { readWaiting, replaceRefused, type Entry, type Waiting } from './store.ts'
import { Waiters } from './waiters.ts'

const log = logger('relay')
const readBatchSize = 500
const maxInFlight = 4000
/** Not every failure is logged: while the stream accepts nothing, every queue retries each second. */
const logFailureEveryMs = 60_000

type Options = {
  pool: Database['pool']
  bus: Bus
  service: string
  shards: HeldShards
  onFenced(shard: Shard): void
  /** The stream acknowledged an entry with a sequence not above the recorded position. */
  onStreamReplaced(shard: Shard): void
  onNoResponse(): void
  onReadFailed(): void
  renew(): Promise<void>
  onWork(): void
}

export class Flow {
  readonly waiters = new Waiters()
  readonly read = singleFlight(() => withoutTrace(() => this.#read()))
  readonly #options: Options
  readonly #sender: Sender
  readonly #marker: Marker
  /** `performance.now()` when entries to relay were last found. */
  lastWorkAt = performance.now()
  /**
   * No entry below this id is waiting or can appear. Reading from the start would scan everything relayed since the
   * oldest open snapshot of the database, for example during a backup.
   */
  #watermark = 0n
  /**
   * The watermark to use once all transactions below `next` have ended; until then, one of them may commit a lower id.
   */
  #nextWatermark: { from: bigint; next: bigint } | undefined
  #isFull = false
  #isExpected = false
  #isClosing = false
  #failureLoggedAt = -Infinity

  constructor(options: Options) {
    this.#options = options
    this.#marker = new Marker(options.pool, {
      onFenced: (shard) => options.onFenced(shard),
      onMarked: () => {
        if (this.#isFull) this.wake()
      },
    })
    this.#sender = new Sender(options.bus, options.service, {
      onStored: (queue, batch, seq, repeated) => this.#onStored(queue, batch, seq, repeated),
      onRefused: (queue, batch, reason) => this.#onRefused(queue, batch, reason),
      onFailed: (reason) => this.#onFailed(reason),
      onNoResponse: () => options.onNoResponse(),
    })
  }

  /** Makes the next `read` start from the oldest entry, because a shard is new here or entries were requeued. */
  resetWatermark(): void {
    this.#watermark = 0n
    this.#nextWatermark = undefined
  }

  /** Like `read`, if entries are known to be waiting: expired leases are renewed during the query, not after it. */
  readExpected(): Promise<void> {
    this.#isExpected = true
    return this.read()
  }

  wake(): void {
    this.readExpected().catch(() => this.#options.onReadFailed())
  }

  resume(shard: Shard): void {
    if (!shard.mayPublish) return
    for (const queue of shard.queues.values()) this.#sender.offer(queue)
  }

  close(): void {
    this.#isClosing = true
  }

  waitUntilSettled(): Promise<void> {
    return this.#marker.waitUntilSettled()
  }

  async #read(): Promise<void> {
    const { pool, bus, shards, renew } = this.#options
    const isExpected = this.#isExpected
    this.#isExpected = false
    for (;;) {
      const ready = shards.all().filter((shard) => shard.state === 'ready' && !shard.isReleasing)
      const inFlight = shards.inFlight()
      this.#isFull = inFlight.length >= maxInFlight
      if (this.#isFull || this.#isClosing || ready.length === 0 || !bus.connected()) return
      const numbers = ready.map((shard) => shard.lease.shard)
      // An idle relay lets its leases expire; a renewal shows which shards others have taken.
      const isExpired = !ready.every((shard) => shard.mayPublish)
      const wanted = { shards: numbers, from: this.#watermark, inFlight, limit: readBatchSize }
      const [waiting] = await Promise.all([readWaiting(pool, wanted), isExpired && isExpected ? renew() : undefined])
      const { entries } = waiting
      if (isExpired && !isExpected && entries.length > 0) await renew()
      if (entries.length > 0) this.#noteWork()
      // All entries are added before any is sent, so that consecutive entries share a message.
      const queues = entries.map((entry) => this.#take(entry, ready))
      for (const queue of queues) if (queue !== undefined) this.#sender.offer(queue)
      if (queues.includes(undefined)) this.resetWatermark()
      if (entries.length < readBatchSize) return this.#advanceWatermark(waiting)
    }
  }

  #advanceWatermark({ entries, oldest, next }: Waiting): void {
    if (this.#nextWatermark && oldest >= this.#nextWatermark.next) {
      const inFlight = this.#options.shards.inFlight()
      this.#watermark = inFlight.reduce((least, id) => (id < least ? id : least), this.#nextWatermark.from)
      this.#nextWatermark = undefined
    }
    const newest = entries.at(-1)
    if (newest) this.#nextWatermark ??= { from: newest.id, next }
  }

  #noteWork(): void {
    this.lastWorkAt = performance.now()
    this.#options.onWork()
  }

  #onFailed(reason: string): void {
    const { service } = this.#options
    countPublishFailure(service)
    if (performance.now() - this.#failureLoggedAt < logFailureEveryMs) return
    this.#failureLoggedAt = performance.now()
    log.error({ service, reason }, 'the stream does not accept events; they will be sent again')
  }

  #take(entry: Entry, ready: Shard[]): AggregateQueue | undefined {
    const shard = this.#options.shards.get(entry.shard)
    // During the query, the shard may have been dropped or taken again, or its position may have been lost.
    if (shard === undefined || shard.state !== 'ready' || !ready.includes(shard)) return undefined
    return shard.take(entry)
  }

  #onStored(queue: AggregateQueue, batch: Batch, seq: number, repeated: boolean): void {
    const { shard } = queue
    const last = batch.entries.at(-1)
    if (last === undefined) return
    if (!repeated && shard.anchor !== undefined && seq <= shard.anchor.seq) {
      shard.clear()
      shard.state = 'unverified'
      this.#options.onStreamReplaced(shard)
      return
    }
    shard.recordStored(queue, batch.entries, { seq, eventId: last.eventId, storedAt: Date.now() })
    for (const entry of batch.entries) this.waiters.notifyStored(entry.id)
    this.#marker.add(queue, batch, seq)
    countRelayed(batch.entries.length)
  }

  async #onRefused(queue: AggregateQueue, batch: Batch, reason: string): Promise<void> {
    const [entry, ...others] = batch.entries
    if (entry === undefined) return
    if (others.length > 0) return queue.sendSeparately(batch.entries)
    const replacement = skippedEvent(entry)
    await replaceRefused(this.#options.pool, queue.shard.lease, entry, { ...replacement, reason })
    if (queue.isDropped) return
    queue.sendSeparately([{ ...entry, ...replacement }])
    countSkipped()
    log.error({ eventId: entry.eventId, subject: entry.subject, reason }, 'the stream refused an event; it is parked')
  }
}

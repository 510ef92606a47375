import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger, withoutTrace } from '@parley/telemetry'
import { entriesRelayed, entrySkipped, publishFailed } from '../metrics.ts'
import type { HeldShards } from './held-shards.ts'
import { Marker } from './marker.ts'
import { skippedEvent } from './refused.ts'
import { Sender } from './sender.ts'
import type { Batch, Line, Shard } from './shard.ts'
import { singleFlight } from './single-flight.ts'
import { readWaiting, replaceRefused, type Entry, type Waiting } from './store.ts'
import { Waiters } from './waiters.ts'

const log = logger('relay')
const readAtOnce = 500
const maxInHand = 4000
/** Failures are logged this rarely, because every line retries each second while the stream accepts nothing. */
const sayFailureEveryMs = 60_000

type Options = {
  pool: Database['pool']
  bus: Bus
  service: string
  shards: HeldShards
  /** Another holder has the shard. */
  fenced(shard: Shard): void
  /** The stream acknowledged an entry with an impossible sequence. */
  doubted(shard: Shard): void
  /** Nobody listens for events. */
  noResponse(): void
  /** The database did not answer, so waiting entries were not read. */
  unread(): void
  /** Renews the leases: one of them has expired and may be needed now. */
  renew(): Promise<void>
  /** There is something to relay. */
  busy(): void
}

/** Moves entries from the table to the stream: reads, sends, and marks them when stored. */
export class Flow {
  readonly waiters = new Waiters()
  /** Reads the waiting entries and sends them, including all that were committed before the call. */
  readonly read = singleFlight(() => withoutTrace(() => this.#read()))
  readonly #options: Options
  readonly #sender: Sender
  readonly #marker: Marker
  /** When there was last something to relay. */
  busyAt = performance.now()
  /**
   * Id from which to read; nothing waits below it, now or later. While an old snapshot of the database is open, such as
   * during a backup, reading from the start would scan everything relayed since.
   */
  #from = 0n
  /**
   * Where reading may begin once all transactions below `next` have ended, because one of them may still commit a lower
   * id.
   */
  #later: { from: bigint; next: bigint } | undefined
  /** Reading stopped because too much is in flight. */
  #full = false
  /** Whether entries are known to wait, so that leases are renewed while they are read. */
  #isExpected = false
  #closing = false
  #failureSaidAt = -Infinity

  constructor(options: Options) {
    this.#options = options
    this.#marker = new Marker(options.pool, {
      fenced: (shard) => options.fenced(shard),
      marked: () => {
        if (this.#full) this.wake()
      },
    })
    this.#sender = new Sender(options.bus, options.service, {
      stored: (line, batch, seq, repeated) => this.#stored(line, batch, seq, repeated),
      refused: (line, batch, reason) => this.#refused(line, batch, reason),
      failed: (reason) => this.#failed(reason),
      noResponse: () => options.noResponse(),
    })
  }

  /**
   * The next `read` reads from the start, because a shard is new here, entries wait again, or the database was
   * restored.
   */
  startOver(): void {
    this.#from = 0n
    this.#later = undefined
  }

  /** As `read`, when entries are known to wait. */
  kick(): Promise<void> {
    this.#isExpected = true
    return this.read()
  }

  /** As `kick`, for callers that do not await it. */
  wake(): void {
    this.kick().catch(() => this.#options.unread())
  }

  /** Sends the entries that were held back while the shard was not allowed to publish. */
  resume(shard: Shard): void {
    if (!shard.mayPublish) return
    for (const line of shard.lines.values()) this.#sender.offer(line)
  }

  /** Takes no more entries. */
  close(): void {
    this.#closing = true
  }

  /** Resolves when no statement is running that could still mark entries of a line dropped before the call. */
  settled(): Promise<void> {
    return this.#marker.settled()
  }

  async #read(): Promise<void> {
    const { pool, bus, shards, renew } = this.#options
    const isExpected = this.#isExpected
    this.#isExpected = false
    for (;;) {
      const ready = shards.all().filter((shard) => shard.state === 'ready' && !shard.releasing)
      const inHand = shards.inHand()
      this.#full = inHand.length >= maxInHand
      if (this.#full || this.#closing || ready.length === 0 || !bus.connected()) return
      const numbers = ready.map((shard) => shard.lease.shard)
      // An idle relay lets its leases expire; renewing shows which ones others have taken.
      const isExpired = !ready.every((shard) => shard.mayPublish)
      const wanted = { shards: numbers, from: this.#from, inHand, limit: readAtOnce }
      const [waiting] = await Promise.all([readWaiting(pool, wanted), isExpired && isExpected ? renew() : undefined])
      const { entries } = waiting
      if (isExpired && !isExpected && entries.length > 0) await renew()
      if (entries.length > 0) this.#busy()
      // All are added before any is sent, so that consecutive entries share a message.
      const lines = entries.map((entry) => this.#take(entry, ready))
      for (const line of lines) if (line !== undefined) this.#sender.offer(line)
      if (lines.includes(undefined)) this.startOver()
      if (entries.length < readAtOnce) return this.#beginLater(waiting)
    }
  }

  /** To be called after all waiting entries were read. */
  #beginLater({ entries, oldest, next }: Waiting): void {
    if (this.#later && oldest >= this.#later.next) {
      const inHand = this.#options.shards.inHand()
      this.#from = inHand.reduce((least, id) => (id < least ? id : least), this.#later.from)
      this.#later = undefined
    }
    const newest = entries.at(-1)
    if (newest) this.#later ??= { from: newest.id, next }
  }

  #busy(): void {
    this.busyAt = performance.now()
    this.#options.busy()
  }

  #failed(reason: string): void {
    const { service } = this.#options
    publishFailed(service)
    if (performance.now() - this.#failureSaidAt < sayFailureEveryMs) return
    this.#failureSaidAt = performance.now()
    log.error({ service, reason }, 'the stream does not accept events; they will be sent again')
  }

  #take(entry: Entry, ready: Shard[]): Line | undefined {
    const shard = this.#options.shards.get(entry.shard)
    // The shard may have been dropped, taken again, or lost its place while the query ran.
    if (shard === undefined || shard.state !== 'ready' || !ready.includes(shard)) return undefined
    return shard.take(entry)
  }

  #stored(line: Line, batch: Batch, seq: number, repeated: boolean): void {
    const { shard } = line
    const last = batch.entries.at(-1)
    if (last === undefined) return
    if (!repeated && shard.anchor !== undefined && seq <= shard.anchor.seq) {
      // The stream has assigned a sequence below a place it had reached, so it is another stream.
      shard.clear()
      shard.state = 'unverified'
      this.#options.doubted(shard)
      return
    }
    shard.stored(line, batch.entries, { seq, eventId: last.eventId, storedAt: Date.now() })
    for (const entry of batch.entries) this.waiters.stored(entry.id)
    this.#marker.add(line, batch, seq)
    entriesRelayed(batch.entries.length)
  }

  async #refused(line: Line, batch: Batch, reason: string): Promise<void> {
    const [entry, ...others] = batch.entries
    if (entry === undefined) return
    if (others.length > 0) return line.sendAlone(batch.entries)
    const replacement = skippedEvent(entry)
    await replaceRefused(this.#options.pool, line.shard.lease, entry, { ...replacement, reason })
    if (line.dropped) return
    line.sendAlone([{ ...entry, ...replacement }])
    entrySkipped()
    log.error({ eventId: entry.eventId, subject: entry.subject, reason }, 'the stream refused an event; it is parked')
  }
}

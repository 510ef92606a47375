import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger } from '@parley/telemetry'
import { entriesRelayed, entrySkipped, shardFenced } from '../metrics.ts'
import { redeclareStreams } from '../stream/declare.ts'
import { verifyPlaces } from '../stream/place.ts'
import { isValid, leave, prepareShards, releaseLeases, renewLeases, takeLeases, type Lease } from './leases.ts'
import type { Batch, Line } from './line.ts'
import { Marker } from './marker.ts'
import { recoverShards } from './recovery.ts'
import { skippedEvent } from './refused.ts'
import { Sender } from './sender.ts'
import { Shard } from './shard.ts'
import { shardCount } from './shards.ts'
import { singleFlight } from './single-flight.ts'
import { readPlaces, readWaiting, replaceRefused, type Entry } from './store.ts'
import { Waiters } from './waiters.ts'
import { hearWakes } from './wake.ts'
import { waitUntilStored } from './stored.ts'

const log = logger('relay')
const readAtOnce = 500
const mostInHand = 4000
const closeWithinMs = 2000

type Options = { pool: Database['pool']; bus: Bus; service: string; holder: string }

/** The shards one process relays, and everything it does with them. */
export class Holdings {
  readonly waiters = new Waiters()
  /** Reads what waits and sends it; the call sees everything committed before it. */
  readonly kick = singleFlight(() => this.#read())
  /** Tells that this process lives, renews its leases and brings the number of its shards to its share. */
  readonly renew = singleFlight(() => this.#renew())
  readonly #options: Options
  readonly #shards = new Map<number, Shard>()
  readonly #ears = new Map<number, Disposable>()
  readonly #sender: Sender
  readonly #marker: Marker
  readonly #recover = singleFlight(() => this.#recoverLost())
  readonly #declare = singleFlight(() => this.#declareAgain())
  #prepared = false
  /** Reading stopped because too much is in hand. */
  #full = false
  #closing = false

  constructor(options: Options) {
    this.#options = options
    this.#marker = new Marker(options.pool, {
      fenced: (shard) => this.#fenced(shard),
      marked: () => {
        if (this.#full) void this.kick().catch(() => undefined)
      },
    })
    this.#sender = new Sender(options.bus, options.service, {
      stored: (line, batch, seq, repeated) => this.#stored(line, batch, seq, repeated),
      refused: (line, batch, reason) => this.#refused(line, batch, reason),
      unanswered: () => void this.#declare().catch(() => undefined),
    })
  }

  /** Whether this process relays the shard. */
  holds(shard: number): boolean {
    const held = this.#shards.get(shard)
    return held !== undefined && isValid(held.lease)
  }

  /** Whether this process relays every shard. */
  holdsAll(): boolean {
    return this.#shards.size === shardCount && [...this.#shards.values()].every((shard) => isValid(shard.lease))
  }

  /** The shards this process relays. */
  shardNumbers(): number[] {
    return [...this.#shards.keys()]
  }

  /** Whether the entry is in hand. */
  knows(id: bigint): boolean {
    return this.#some((shard) => shard.inHand.has(id))
  }

  /** Whether the stream has the entry, as far as this process knows. */
  knowsStored(id: bigint): boolean {
    return this.#some((shard) => shard.inHand.get(id) === true)
  }

  /** What happens without being asked: lost and unverified shards are seen to, then what waits is read. */
  async poll(): Promise<void> {
    const shards = [...this.#shards.values()]
    if (shards.some((shard) => shard.state === 'lost')) await this.#recover()
    await Promise.all(shards.filter((shard) => shard.state === 'unverified').map((shard) => this.#verify(shard)))
    for (const shard of shards) this.#resume(shard)
    await this.kick()
  }

  /** Nothing goes out before the stream has been asked for the places again: it may be another one. */
  doubt(): void {
    for (const shard of this.#shards.values()) {
      if (shard.state === 'ready') shard.state = 'unverified'
    }
    void this.poll().catch(() => undefined)
  }

  /** Asks the stream for every place while entries go on going out. */
  async verifyAll(): Promise<void> {
    await Promise.all([...this.#shards.values()].map((shard) => this.#verify(shard)))
  }

  /** Finishes what is under way, then gives the shards back. */
  async close(): Promise<void> {
    this.#closing = true
    const giveUpAt = performance.now() + closeWithinMs
    while (performance.now() < giveUpAt && this.#some((shard) => shard.inHand.size > 0)) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const shards = [...this.#shards.values()]
    for (const shard of shards) this.#drop(shard)
    await this.#marker.settled()
    const { pool, holder } = this.#options
    const leases = shards.map((shard) => shard.lease)
    await Promise.all([releaseLeases(pool, leases), leave(pool, holder)]).catch(() => undefined)
  }

  async #renew(): Promise<void> {
    if (this.#closing) return
    const { pool, holder } = this.#options
    if (!this.#prepared) await prepareShards(pool)
    this.#prepared = true
    const { relays, free, lost } = await renewLeases(
      pool,
      holder,
      [...this.#shards.values()].map((shard) => shard.lease),
    )
    for (const lease of lost) this.#fenced(this.#shards.get(lease.shard))
    await this.#shareOut(Math.ceil(shardCount / relays), free)
  }

  async #shareOut(share: number, free: number): Promise<void> {
    const { pool, holder } = this.#options
    const kept = [...this.#shards.values()].filter((shard) => !shard.releasing)
    for (const shard of kept.slice(share)) shard.releasing = true
    const idle = [...this.#shards.values()].filter((shard) => shard.releasing && shard.inHand.size === 0)
    for (const shard of idle) this.#drop(shard)
    if (idle.length > 0) {
      await releaseLeases(
        pool,
        idle.map((shard) => shard.lease),
      )
    }
    if (kept.length < share && free > 0 && !this.#closing) {
      await this.#adopt(await takeLeases(pool, holder, share - kept.length))
    }
  }

  async #adopt(leases: Lease[]): Promise<void> {
    const { pool, bus, service } = this.#options
    if (leases.length === 0) return
    const numbers = leases.map((lease) => lease.shard)
    const places = new Map((await readPlaces(pool, numbers)).map((place) => [place.shard, place]))
    for (const lease of leases) {
      const place = places.get(lease.shard)
      this.#shards.set(lease.shard, new Shard(lease, place ?? { generation: 0, place: undefined }))
      const ear = hearWakes(bus, service, lease.shard, (ids, answered) => this.#woken(ids, answered))
      this.#ears.set(lease.shard, ear)
    }
    log.info({ service, shards: numbers }, 'relaying')
    void this.poll().catch(() => undefined)
  }

  #drop(shard: Shard): void {
    const number = shard.lease.shard
    if (this.#shards.get(number) !== shard) return
    shard.clear()
    this.#shards.delete(number)
    this.#ears.get(number)?.[Symbol.dispose]()
    this.#ears.delete(number)
  }

  #fenced(shard: Shard | undefined): void {
    if (shard === undefined || this.#shards.get(shard.lease.shard) !== shard) return
    this.#drop(shard)
    shardFenced()
    log.warn({ service: this.#options.service, shard: shard.lease.shard }, 'another process relays this shard now')
  }

  async #woken(ids: bigint[], answered: boolean): Promise<void> {
    const { pool, bus, service } = this.#options
    const kick = (): void => void this.kick().catch(() => undefined)
    if (!answered) return kick()
    await waitUntilStored(
      {
        pool,
        bus,
        service,
        waiters: this.waiters,
        // Whoever asks here asks again: two holders that change places never ask each other in a circle.
        holds: () => true,
        knowsStored: (id) => this.knowsStored(id),
        kick,
      },
      ids,
      1000,
    )
  }

  async #verify(shard: Shard): Promise<void> {
    if (shard.state === 'lost') return
    const state = await verifyPlaces(this.#options.bus, shard)
    if (this.#shards.get(shard.lease.shard) !== shard) return
    if (state === 'gone') {
      shard.state = 'lost'
      await this.#recover()
    } else if (state === 'there' && shard.state === 'unverified') {
      shard.state = 'ready'
    }
  }

  async #recoverLost(): Promise<void> {
    const { pool, bus, service } = this.#options
    const shards = [...this.#shards.values()].filter((shard) => shard.state === 'lost')
    if (shards.length === 0) return
    await recoverShards({ pool, bus, service, marker: this.#marker, shards })
  }

  async #declareAgain(): Promise<void> {
    await redeclareStreams(this.#options.bus)
    await this.verifyAll()
  }

  async #read(): Promise<void> {
    for (;;) {
      const ready = this.#closing
        ? []
        : [...this.#shards.values()].filter((shard) => shard.mayPublish && !shard.releasing)
      const inHand = [...this.#shards.values()].flatMap((shard) => [...shard.inHand.keys()])
      this.#full = inHand.length >= mostInHand
      if (this.#full || ready.length === 0 || !this.#options.bus.connected()) return
      const numbers = ready.map((shard) => shard.lease.shard)
      const entries = await readWaiting(this.#options.pool, numbers, inHand, readAtOnce)
      // All are taken before any is sent, so that neighbours share a message.
      const lines = entries.map((entry) => this.#take(entry, ready))
      for (const line of lines) if (line !== undefined) this.#sender.offer(line)
      if (entries.length < readAtOnce) return
    }
  }

  #take(entry: Entry, ready: Shard[]): Line | undefined {
    const shard = this.#shards.get(entry.shard)
    // Between the question and the answer the shard may have been dropped, taken anew, or lost its place.
    if (shard === undefined || shard.state !== 'ready' || !ready.includes(shard)) return undefined
    return shard.take(entry)
  }

  #resume(shard: Shard): void {
    if (!shard.mayPublish) return
    for (const line of shard.lines.values()) this.#sender.offer(line)
  }

  #stored(line: Line, batch: Batch, seq: number, repeated: boolean): void {
    const { shard } = line
    const last = batch.entries.at(-1)
    if (last === undefined) return
    if (!repeated && shard.anchor !== undefined && seq <= shard.anchor.seq) {
      // The stream begins again below a place it had reached: it is not the one we knew.
      shard.clear()
      shard.state = 'unverified'
      void this.#verify(shard).catch(() => undefined)
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

  #some(test: (shard: Shard) => boolean): boolean {
    return [...this.#shards.values()].some(test)
  }
}

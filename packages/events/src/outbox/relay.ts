import { randomUUID } from 'node:crypto'
import { isDatabaseUnavailable, type Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources, type Periodic } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { placeCheckMs, placeCheckTimeoutMs } from '../stream/place.ts'
import { Backlog } from './backlog.ts'
import { Cleanup } from './cleanup.ts'
import { RelayedShards } from './relayed-shards.ts'
import { waitUntilStored } from './stored.ts'
import { onRelaysChanged } from './wake.ts'
import { WrittenEntries } from './written-entries.ts'

const log = logger('relay')
/** Well below the duration of a lease, so that a holder that pauses for a second does not lose it. */
const renewEveryMs = 1000
/**
 * A relay without others lets its leases expire after this time without work, and renews them when there is work again.
 */
const defaultRestAfterMs = 10_000
const restEveryMs = 30_000
/** The database does not answer. */
const tryAgainMs = 500
/** How often to look for entries that were not announced. */
const defaultPollMs = 10_000
const cleanUpEveryMs = 300_000

/** Dependencies of a relay. */
export type RelayOptions = Pick<Database, 'pool'> & {
  /** The connection for events. */
  bus: Bus
  /** Deployable; part of message ids and of the wake subject. */
  service: string
  /** How often to look for entries written by a process that died before it could announce them. Default: 10 s. */
  pollMs?: number
  /** After how long without an event a relay without others lets its leases expire. Default: 10 s. */
  restAfterMs?: number
}

/** Publishes this service's events to the stream, together with the relays of its other processes. */
export type Relay = AsyncDisposable & {
  /**
   * Announces, after commit, entries that were not written with `enqueue` (which does this itself). Entries that are
   * not announced are found at the next poll.
   */
  wake(entryIds: readonly bigint[]): void
  /**
   * Resolves when the stream has these entries, whichever process relays them. Rejects with unavailable after 4 s; the
   * entries are relayed nevertheless, and the call can be repeated to wait again.
   */
  stored(entryIds: readonly bigint[]): Promise<void>
  /**
   * Calls back when another process of the service is gone, at most three seconds after its death, so that others take
   * over its unfinished work. Dispose the result to stop.
   */
  onPeerGone(listener: () => void): Disposable
}

/**
 * Starts relaying. The database and the bus need not be available yet. Disposing finishes running work, within 2 s, and
 * hands the shards to the other processes.
 */
export function startRelay(options: RelayOptions): Promise<Relay> {
  return Promise.resolve(new OutboxRelay(options))
}

class OutboxRelay implements Relay {
  readonly #options: RelayOptions
  readonly #relayed: RelayedShards
  readonly #written: WrittenEntries
  readonly #backlog: Backlog
  readonly #renewing: Periodic
  readonly #polling: Periodic
  readonly #peerGone = new Set<() => void>()
  readonly #resources = new Resources()
  readonly #stop = new AbortController()
  /** Whether the database outage has been logged. */
  #away = false

  constructor(options: RelayOptions) {
    this.#options = options
    const { pool, bus, service, pollMs = defaultPollMs } = options
    const relayed = (this.#relayed = new RelayedShards({
      ...{ pool, bus, service, holder: randomUUID() },
      look: (inMs) => this.#polling.wake(inMs),
      busy: () => this.#renewing.wake(renewEveryMs),
      peerGone: () => this.#peerGone.forEach((listener) => listener()),
    }))
    this.#backlog = this.#resources.use(new Backlog(pool, service))
    this.#resources.defer('relayed shards', () => relayed.close())
    this.#resources.use(bus.onReconnect(() => relayed.doubt()))
    const tryAgain = () => this.#polling.wake(tryAgainMs)
    const written = (this.#written = new WrittenEntries({ pool, bus, service, relayed, tryAgain }))

    this.#renewing = this.#job('outbox leases', restEveryMs, () => this.#renew(), tryAgainMs)
    this.#polling = this.#job('outbox poll', pollMs, () => this.#poll(), Math.min(pollMs, tryAgainMs))
    this.#job('stream places', placeCheckMs, () => relayed.verifyAll(placeCheckTimeoutMs))
    const held = () => relayed.shards.all().map((shard) => shard.lease.shard)
    this.#job('outbox backlog', 30_000, () => this.#backlog.count(held()))
    const cleanup = new Cleanup({ pool, bus, service, verified: () => relayed.verified() })
    this.#job('outbox cleanup', cleanUpEveryMs, () => cleanup.run(this.#stop.signal))
    this.#renewing.wake()
    this.#resources.use(onRelaysChanged(bus, service, () => this.#renewing.wake()))
    this.#resources.use(written)
  }

  wake(entryIds: readonly bigint[]): void {
    this.#written.skip(entryIds)
    void this.#written.wake(entryIds)
  }

  stored(entryIds: readonly bigint[]): Promise<void> {
    this.#written.skip(entryIds)
    const { pool, bus, service } = this.#options
    const { shards, flow } = this.#relayed
    const holds = (shard: number): boolean => shards.holds(shard)
    const knowsStored = (id: bigint): boolean => shards.knowsStored(id)
    return waitUntilStored({ pool, bus, service, flow, holds, knowsStored }, entryIds)
  }

  onPeerGone(listener: () => void): Disposable {
    this.#peerGone.add(listener)
    return { [Symbol.dispose]: () => void this.#peerGone.delete(listener) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#resources[Symbol.asyncDispose]()
  }

  async #renew(): Promise<number | void> {
    const { leases } = this.#relayed
    await leases.renew()
    const { restAfterMs = defaultRestAfterMs } = this.#options
    if (!this.#relayed.rests(restAfterMs)) return Math.min(renewEveryMs, leases.nextFreeMs)
  }

  async #poll(): Promise<number | void> {
    const againMs = await this.#relayed.poll()
    await this.#written.notifyHolders()
    return againMs
  }

  /** Repeats work periodically, sooner when the database is unavailable. */
  #job(name: string, everyMs: number, work: () => Promise<number | void>, afterFailureMs = everyMs): Periodic {
    const { service } = this.#options
    const run = async (): Promise<number | void> => {
      try {
        const againMs = await work()
        this.#away = false
        return againMs
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error
        if (!this.#away) log.warn({ service, err: error }, 'the outbox is not available')
        this.#away = true
        return afterFailureMs
      }
    }
    const { signal } = this.#stop
    return this.#resources.use(periodically({ name: `${service} ${name}`, everyMs, signal, run, afterFailureMs }))
  }
}

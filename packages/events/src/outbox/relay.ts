import { randomUUID } from 'node:crypto'
import { isDatabaseUnavailable, type Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources, type Periodic } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { positionCheckMs, positionCheckTimeoutMs } from '../stream/position.ts'
import { Backlog } from './backlog.ts'
import { Cleanup } from './cleanup.ts'
import { RelayedShards } from './relayed-shards.ts'
import { waitUntilStored } from './wait-until-stored.ts'
import { onRelaysChanged } from './wake.ts'
import { WrittenEntries } from './written-entries.ts'

const log = logger('relay')
/** Well below the duration of a lease: a process that stalls for a second keeps its leases. */
const renewEveryMs = 1000
const defaultRestAfterMs = 10_000
const renewAtRestEveryMs = 30_000
const retryMs = 500
const defaultPollMs = 10_000
const cleanUpEveryMs = 300_000

export type RelayOptions = Pick<Database, 'pool'> & {
  bus: Bus
  service: string
  /** How often to poll for entries of processes that died before announcing them. Default: 10 s. */
  pollMs?: number
  /**
   * Idle time after which the only relay of a service lets its leases expire; the relay renews them when there is work.
   * Default: 10 s.
   */
  restAfterMs?: number
}

export type Relay = AsyncDisposable & {
  /**
   * Announces entries after their commit; `enqueue` does it itself. The next poll finds entries that were not
   * announced.
   */
  wake(entryIds: readonly bigint[]): void
  /**
   * Resolves when the stream has these entries, whichever process relays them. Rejects with unavailable after 4 s: the
   * entries are relayed nevertheless, and a repeated call waits again.
   */
  waitUntilStored(entryIds: readonly bigint[]): Promise<void>
  /**
   * Calls the listener within three seconds after another process of the service has ended or died. Dispose the result
   * to stop.
   */
  onPeerGone(listener: () => void): Disposable
}

/**
 * The database and the bus need not be available yet. Disposing waits up to 2 s for in-flight entries, then releases
 * the shards to other processes.
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
  readonly #peerGoneListeners = new Set<() => void>()
  readonly #resources = new Resources()
  readonly #stop = new AbortController()
  #isOutageLogged = false

  constructor(options: RelayOptions) {
    this.#options = options
    const { pool, bus, service, pollMs = defaultPollMs } = options
    const relayed = (this.#relayed = new RelayedShards({
      ...{ pool, bus, service, holder: randomUUID() },
      schedulePoll: (inMs) => this.#polling.wake(inMs),
      onWork: () => this.#renewing.wake(renewEveryMs),
      onPeerGone: () => this.#peerGoneListeners.forEach((listener) => listener()),
    }))
    this.#backlog = this.#resources.use(new Backlog(pool, service))
    this.#resources.defer('relayed shards', () => relayed.close())
    this.#resources.use(bus.onReconnect(() => relayed.unverifyAll()))
    const scheduleRetry = () => this.#polling.wake(retryMs)
    const written = (this.#written = new WrittenEntries({ pool, bus, service, relayed, scheduleRetry }))

    this.#renewing = this.#job('outbox leases', renewAtRestEveryMs, () => this.#renew(), retryMs)
    this.#polling = this.#job('outbox poll', pollMs, () => this.#poll(), Math.min(pollMs, retryMs))
    this.#job('stream positions', positionCheckMs, () => relayed.verifyAll(positionCheckTimeoutMs))
    const heldShards = () => relayed.shards.all().map((shard) => shard.lease.shard)
    this.#job('outbox backlog', 30_000, () => this.#backlog.count(heldShards()))
    const cleanup = new Cleanup({ pool, bus, service, verifiedShards: () => relayed.verifiedShards() })
    this.#job('outbox cleanup', cleanUpEveryMs, () => cleanup.run(this.#stop.signal))
    this.#renewing.wake()
    this.#resources.use(onRelaysChanged(bus, service, () => this.#renewing.wake()))
    this.#resources.use(written)
  }

  wake(entryIds: readonly bigint[]): void {
    this.#written.leaveToCaller(entryIds)
    void this.#written.wake(entryIds)
  }

  waitUntilStored(entryIds: readonly bigint[]): Promise<void> {
    this.#written.leaveToCaller(entryIds)
    const { pool, bus, service } = this.#options
    const { shards, flow } = this.#relayed
    const holds = (shard: number): boolean => shards.holds(shard)
    const isStored = (id: bigint): boolean => shards.isStored(id)
    return waitUntilStored({ pool, bus, service, flow, holds, isStored }, entryIds)
  }

  onPeerGone(listener: () => void): Disposable {
    this.#peerGoneListeners.add(listener)
    return { [Symbol.dispose]: () => void this.#peerGoneListeners.delete(listener) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#resources[Symbol.asyncDispose]()
  }

  async #renew(): Promise<number | void> {
    const { leases } = this.#relayed
    await leases.renew()
    const { restAfterMs = defaultRestAfterMs } = this.#options
    if (!this.#relayed.mayRest(restAfterMs)) return Math.min(renewEveryMs, leases.nextFreeMs)
  }

  async #poll(): Promise<number | void> {
    const againMs = await this.#relayed.poll()
    await this.#written.notifyHolders()
    return againMs
  }

  #job(name: string, everyMs: number, work: () => Promise<number | void>, afterFailureMs = everyMs): Periodic {
    const { service } = this.#options
    const run = async (): Promise<number | void> => {
      try {
        const againMs = await work()
        this.#isOutageLogged = false
        return againMs
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error
        if (!this.#isOutageLogged) log.warn({ service, err: error }, 'the outbox is not available')
        this.#isOutageLogged = true
        return afterFailureMs
      }
    }
    const { signal } = this.#stop
    return this.#resources.use(periodically({ name: `${service} ${name}`, everyMs, signal, run, afterFailureMs }))
  }
}

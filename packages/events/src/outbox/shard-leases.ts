import type { Database } from '@parley/postgres'
import { logger } from '@parley/telemetry'
import type { Bus } from '@parley/rpc'
import { countFencedShard } from '../metrics.ts'
import type { HeldShards } from './held-shards.ts'
import { isValid, leave, prepareShards, releaseLeases, renewLeases, takeLeases, type Lease } from './leases.ts'
import { Shard } from './shard.ts'
import { shardCount } from './shards.ts'
import { singleFlight } from './single-flight.ts'
import { readPositions } from './store.ts'
import { notifyRelays } from './wake.ts'

const log = logger('relay')

type Options = {
  pool: Database['pool']
  bus: Bus
  service: string
  holder: string
  shards: HeldShards
  subscribe(shard: number): Disposable
  /** Polls for entries that were not announced to this process. */
  schedulePoll(): void
  onPeerGone(): void
}

export class ShardLeases {
  readonly renew = singleFlight(() => this.#renew())
  /** Milliseconds after which the lease of another process ends unless it is renewed, as of the last renewal. */
  nextFreeMs = Infinity
  readonly #options: Options
  #arePrepared = false
  #relays = 0
  #isClosing = false

  constructor(options: Options) {
    this.#options = options
  }

  dropFenced(shard: Shard): void {
    const { service, shards } = this.#options
    const wasIdle = !isValid(shard.lease) && shard.inFlight.size === 0
    if (!shards.drop(shard)) return
    if (wasIdle) return log.info({ service, shard: shard.lease.shard }, 'another process relays this shard now')
    countFencedShard()
    log.warn({ service, shard: shard.lease.shard }, 'another process relays this shard now')
  }

  close(): void {
    this.#isClosing = true
  }

  async leave(): Promise<void> {
    const { pool, holder } = this.#options
    await leave(pool, holder)
    await this.#release(this.#options.shards.all())
  }

  get isAlone(): boolean {
    return this.#relays === 1
  }

  async #renew(): Promise<void> {
    const { pool, bus, service, holder, shards, schedulePoll } = this.#options
    if (this.#isClosing) return
    if (!this.#arePrepared) await prepareShards(pool)
    this.#arePrepared = true
    const leases = shards.all().map((shard) => shard.lease)
    const wasHeldBack = leases.some((lease) => !isValid(lease)) && shards.inFlight().length > 0
    const { relays, free, nextFreeMs, lost } = await renewLeases(pool, holder, leases)
    for (const lease of lost) {
      const shard = shards.get(lease.shard)
      if (shard?.lease === lease) this.dropFenced(shard)
    }
    // Continues with entries held back by expired leases, and finds those that a dead process did not announce.
    if (wasHeldBack || relays < this.#relays) schedulePoll()
    if (relays < this.#relays) this.#options.onPeerGone()
    if (this.#relays === 0) notifyRelays(bus, service)
    this.#relays = relays
    this.nextFreeMs = nextFreeMs
    await this.#balance(Math.ceil(shardCount / relays), free)
  }

  async #balance(target: number, free: number): Promise<void> {
    const { pool, holder, shards } = this.#options
    const remaining = shards.all().filter((shard) => !shard.isReleasing)
    for (const shard of remaining.slice(target)) shard.isReleasing = true
    await this.#release(shards.all().filter((shard) => shard.isReleasing && shard.inFlight.size === 0))
    const wanted = Math.min(target - remaining.length, free)
    if (wanted > 0 && !this.#isClosing) await this.#adopt(await takeLeases(pool, holder, wanted))
  }

  async #release(shards: Shard[]): Promise<void> {
    if (shards.length === 0) return
    for (const shard of shards) this.#options.shards.drop(shard)
    const { bus, pool, service } = this.#options
    const leases = shards.map((shard) => shard.lease)
    await releaseLeases(pool, leases)
    notifyRelays(bus, service)
  }

  async #adopt(leases: Lease[]): Promise<void> {
    const { pool, bus, service, shards, subscribe, schedulePoll } = this.#options
    if (leases.length === 0) return
    const numbers = leases.map((lease) => lease.shard)
    const positions = new Map((await readPositions(pool, numbers)).map((position) => [position.shard, position]))
    for (const lease of leases) {
      const position = positions.get(lease.shard) ?? { generation: 0, position: undefined }
      shards.add(new Shard(lease, position), subscribe(lease.shard))
    }
    log.info({ service, shards: numbers }, 'relaying')
    // From here on announcements arrive; the poll finds everything committed before.
    if (bus.connected()) await bus.nc.flush().catch(() => undefined)
    schedulePoll()
  }
}

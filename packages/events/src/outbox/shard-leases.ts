import type { Database } from '@parley/postgres'
import { logger } from '@parley/telemetry'
import type { Bus } from '@parley/rpc'
import { shardFenced } from '../metrics.ts'
import type { HeldShards } from './held-shards.ts'
import { isValid, leave, prepareShards, releaseLeases, renewLeases, takeLeases, type Lease } from './leases.ts'
import { Shard } from './shard.ts'
import { shardCount } from './shards.ts'
import { singleFlight } from './single-flight.ts'
import { readPlaces } from './store.ts'
import { notifyRelays } from './wake.ts'

const log = logger('relay')

type Options = {
  pool: Database['pool']
  bus: Bus
  service: string
  holder: string
  shards: HeldShards
  /** Subscribes to requests for a shard that is now held. */
  listen(shard: number): Disposable
  /**
   * There may be waiting entries of which this process was not notified, because it took over shards or another process
   * died.
   */
  look(): void
  /** Another process has ended, possibly without notice. */
  peerGone(): void
}

/** Takes, renews and releases leases, so that each process relays its share of the shards. */
export class ShardLeases {
  /** Records that this process is alive, renews its leases and adjusts the number of its shards to its share. */
  readonly renew = singleFlight(() => this.#renew())
  /** Milliseconds after which the lease of another process ends unless it is renewed, as of the last renewal. */
  nextFreeMs = Infinity
  readonly #options: Options
  #prepared = false
  #relays = 0
  #closing = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Another holder has the shard. */
  fenced(shard: Shard): void {
    const { service, shards } = this.#options
    const rested = !isValid(shard.lease) && shard.inHand.size === 0
    if (!shards.drop(shard)) return
    if (rested) return log.info({ service, shard: shard.lease.shard }, 'another process relays this shard now')
    shardFenced()
    log.warn({ service, shard: shard.lease.shard }, 'another process relays this shard now')
  }

  /** Takes no more leases. */
  close(): void {
    this.#closing = true
  }

  /** Releases everything. */
  async leave(): Promise<void> {
    const { pool, holder } = this.#options
    await leave(pool, holder)
    await this.#release(this.#options.shards.all())
  }

  /** Whether no other process relays. */
  get alone(): boolean {
    return this.#relays === 1
  }

  async #renew(): Promise<void> {
    const { pool, bus, service, holder, shards, look } = this.#options
    if (this.#closing) return
    if (!this.#prepared) await prepareShards(pool)
    this.#prepared = true
    const leases = shards.all().map((shard) => shard.lease)
    const held = leases.some((lease) => !isValid(lease)) && shards.inHand().length > 0
    const { relays, free, nextFreeMs, lost } = await renewLeases(pool, holder, leases)
    for (const lease of lost) {
      const shard = shards.get(lease.shard)
      if (shard?.lease === lease) this.fenced(shard)
    }
    // Continue with entries that were held back, and look for those that a dead process did not announce.
    if (held || relays < this.#relays) look()
    if (relays < this.#relays) this.#options.peerGone()
    if (this.#relays === 0) notifyRelays(bus, service)
    this.#relays = relays
    this.nextFreeMs = nextFreeMs
    await this.#shareOut(Math.ceil(shardCount / relays), free)
  }

  async #shareOut(share: number, free: number): Promise<void> {
    const { pool, holder, shards } = this.#options
    const kept = shards.all().filter((shard) => !shard.releasing)
    for (const shard of kept.slice(share)) shard.releasing = true
    await this.#release(shards.all().filter((shard) => shard.releasing && shard.inHand.size === 0))
    const wanted = Math.min(share - kept.length, free)
    if (wanted > 0 && !this.#closing) await this.#adopt(await takeLeases(pool, holder, wanted))
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
    const { pool, bus, service, shards, listen, look } = this.#options
    if (leases.length === 0) return
    const numbers = leases.map((lease) => lease.shard)
    const places = new Map((await readPlaces(pool, numbers)).map((place) => [place.shard, place]))
    for (const lease of leases) {
      const place = places.get(lease.shard) ?? { generation: 0, place: undefined }
      shards.add(new Shard(lease, place), listen(lease.shard))
    }
    log.info({ service, shards: numbers }, 'relaying')
    // Later announcements are received, and reading the table finds everything committed before.
    if (bus.connected()) await bus.nc.flush().catch(() => undefined)
    look()
  }
}

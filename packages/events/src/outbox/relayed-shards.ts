import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'
import { verifyPlaces } from '../stream/place.ts'
import { Flow } from './flow.ts'
import { HeldShards } from './held-shards.ts'
import { recoverShards } from './recovery.ts'
import type { Shard } from './shard.ts'
import { singleFlight } from './single-flight.ts'
import { waitUntilStored } from './stored.ts'
import { ShardLeases } from './shard-leases.ts'
import { serveWakes } from './wake.ts'

const closeWithinMs = 2000
const answerWithinMs = 1000

/** Delay before a request without an answer is repeated. */
const lookAgainMs = 200

type Options = {
  pool: Database['pool']
  bus: Bus
  service: string
  holder: string
  /** Schedules a `poll`, now or after the given milliseconds. */
  look(inMs?: number): void
  /** To be called when there is work, for which the leases must be valid. */
  busy(): void
  /** Another process of the service is gone. */
  peerGone(): void
}

/** The shards that one process relays, and the stream to which it relays them. */
export class RelayedShards {
  readonly shards = new HeldShards()
  readonly flow: Flow
  readonly leases: ShardLeases
  readonly #options: Options
  readonly #recover = singleFlight(() => this.#recoverLost())
  readonly #declare = singleFlight(() => this.#declareAgain())

  constructor(options: Options) {
    const { pool, bus, service } = options
    const shards = this.shards
    this.#options = options
    this.flow = new Flow({
      pool,
      bus,
      service,
      shards,
      fenced: (shard) => this.leases.fenced(shard),
      doubted: () => options.look(),
      noResponse: () => void this.#declare().catch(() => undefined),
      unread: () => options.look(lookAgainMs),
      renew: () => this.leases.renew(),
      busy: () => options.busy(),
    })
    this.leases = new ShardLeases({
      ...options,
      shards,
      listen: (shard) => serveWakes(bus, service, shard, (ids, answered) => this.#woken(ids, answered)),
      look: () => options.look(),
      peerGone: () => options.peerGone(),
    })
  }

  /**
   * The periodic work: recovers lost shards, verifies unverified ones, then reads waiting entries. Resolves with the
   * milliseconds until it must run again, unless only the timer needs it.
   */
  async poll(): Promise<number | void> {
    const shards = this.shards.all()
    if (shards.some((shard) => shard.state === 'lost')) await this.#recover()
    await Promise.all(shards.filter((shard) => shard.state === 'unverified').map((shard) => this.#verify(shard)))
    for (const shard of shards) this.flow.resume(shard)
    this.flow.startOver()
    await this.flow.read()
    // Without a bus, the next check follows its reconnect.
    if (this.#options.bus.connected() && this.shards.all().some(({ state }) => state !== 'ready')) return lookAgainMs
  }

  /** Whether the leases may expire: nothing was relayed for this long, and no other relay waits for their end. */
  rests(forMs: number): boolean {
    const { shards, flow, leases } = this
    if (!leases.alone || shards.all().some(({ state, inHand }) => state !== 'ready' || inHand.size > 0)) return false
    return performance.now() - flow.busyAt > forMs
  }

  /** Nothing is published until the places have been verified again, because it may be another stream. */
  doubt(): void {
    for (const shard of this.shards.all()) if (shard.state === 'ready') shard.state = 'unverified'
    this.#options.look()
  }

  /** Verifies every place on the stream while entries continue to be sent. */
  async verifyAll(timeoutMs?: number): Promise<void> {
    await Promise.all(this.shards.all().map((shard) => this.#verify(shard, timeoutMs)))
  }

  /** The shards whose places were just verified on the stream. */
  async verified(): Promise<number[]> {
    await this.verifyAll()
    return this.shards.all().flatMap(({ state, lease }) => (state === 'ready' ? lease.shard : []))
  }

  /** Finishes running work, then releases the shards. */
  async close(): Promise<void> {
    this.leases.close()
    this.flow.close()
    const giveUpAt = performance.now() + closeWithinMs
    while (performance.now() < giveUpAt && this.shards.inHand().length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await this.flow.settled()
    // Without a database the leases simply expire.
    await this.leases.leave().catch(() => undefined)
  }

  async #woken(ids: bigint[], answered: boolean): Promise<void> {
    if (!answered) return this.flow.wake()
    await waitUntilStored(
      {
        ...this.#options,
        flow: this.flow,
        knowsStored: (id) => this.shards.knowsStored(id),
        // The caller repeats its request; this prevents two holders that exchange shards from sending requests to each
        // other forever.
        holds: () => true,
      },
      ids,
      answerWithinMs,
    )
  }

  async #verify(shard: Shard, timeoutMs?: number): Promise<void> {
    if (shard.state === 'lost') return
    const state = await verifyPlaces(this.#options.bus, shard, timeoutMs)
    if (this.shards.get(shard.lease.shard) !== shard) return
    if (state === 'gone') {
      shard.state = 'lost'
      await this.#recover()
    } else if (state === 'there' && shard.state === 'unverified') {
      shard.state = 'ready'
      this.flow.startOver()
    }
  }

  async #recoverLost(): Promise<void> {
    const { pool, bus, service } = this.#options
    const shards = this.shards.all().filter((shard) => shard.state === 'lost')
    if (shards.length === 0) return
    await recoverShards({ pool, bus, service, flow: this.flow, shards })
    this.#options.look()
  }

  async #declareAgain(): Promise<void> {
    await requestKeeper(this.#options.bus, 'state', {})
    await this.verifyAll()
  }
}

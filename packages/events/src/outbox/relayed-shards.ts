import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'
import { verifyPositions } from '../stream/position.ts'
import { Flow } from './flow.ts'
import { HeldShards } from './held-shards.ts'
import { recoverShards } from './recovery.ts'
import type { Shard } from './shard.ts'
import { singleFlight } from './single-flight.ts'
import { waitUntilStored } from './wait-until-stored.ts'
import { ShardLeases } from './shard-leases.ts'
import { serveWakes } from './wake.ts'

const closeTimeoutMs = 2000
const answerTimeoutMs = 1000

const retryMs = 200

type Options = {
  pool: Database['pool']
  bus: Bus
  service: string
  holder: string
  schedulePoll(inMs?: number): void
  onWork(): void
  onPeerGone(): void
}

export class RelayedShards {
  readonly shards = new HeldShards()
  readonly flow: Flow
  readonly leases: ShardLeases
  readonly #options: Options
  readonly #recover = singleFlight(() => this.#recoverShards())
  readonly #ensureStream = singleFlight(() => this.#ensureStreamAndVerify())

  constructor(options: Options) {
    const { pool, bus, service } = options
    const shards = this.shards
    this.#options = options
    this.flow = new Flow({
      pool,
      bus,
      service,
      shards,
      onFenced: (shard) => this.leases.dropFenced(shard),
      onStreamReplaced: () => options.schedulePoll(),
      onNoResponse: () => void this.#ensureStream().catch(() => undefined),
      onReadFailed: () => options.schedulePoll(retryMs),
      renew: () => this.leases.renew(),
      onWork: () => options.onWork(),
    })
    this.leases = new ShardLeases({
      ...options,
      shards,
      subscribe: (shard) => serveWakes(bus, service, shard, (ids, wantsAnswer) => this.#onWake(ids, wantsAnswer)),
      schedulePoll: () => options.schedulePoll(),
      onPeerGone: () => options.onPeerGone(),
    })
  }

  /**
   * Recovers the shards of which the stream has lost events, verifies unverified ones, then reads waiting entries.
   * Resolves with the milliseconds until the next run if it must come early.
   */
  async poll(): Promise<number | void> {
    const shards = this.shards.all()
    if (shards.some((shard) => shard.state === 'recovering')) await this.#recover()
    await Promise.all(shards.filter((shard) => shard.state === 'unverified').map((shard) => this.#verify(shard)))
    for (const shard of shards) this.flow.resume(shard)
    this.flow.resetWatermark()
    await this.flow.read()
    if (this.#options.bus.connected() && this.shards.all().some(({ state }) => state !== 'ready')) return retryMs
  }

  /** Whether the leases may expire: no other relay, every shard ready, nothing in flight, and no work for this long. */
  mayRest(forMs: number): boolean {
    const { shards, flow, leases } = this
    if (!leases.isAlone || shards.all().some(({ state, inFlight }) => state !== 'ready' || inFlight.size > 0))
      return false
    return performance.now() - flow.lastWorkAt > forMs
  }

  /** After a reconnect, NATS may serve another stream: nothing is published until the positions have been verified. */
  unverifyAll(): void {
    for (const shard of this.shards.all()) if (shard.state === 'ready') shard.state = 'unverified'
    this.#options.schedulePoll()
  }

  async verifyAll(timeoutMs?: number): Promise<void> {
    await Promise.all(this.shards.all().map((shard) => this.#verify(shard, timeoutMs)))
  }

  async verifiedShards(): Promise<number[]> {
    await this.verifyAll()
    return this.shards.all().flatMap(({ state, lease }) => (state === 'ready' ? lease.shard : []))
  }

  async close(): Promise<void> {
    this.leases.close()
    this.flow.close()
    const giveUpAt = performance.now() + closeTimeoutMs
    while (performance.now() < giveUpAt && this.shards.inFlight().length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await this.flow.waitUntilSettled()
    await this.leases.leave().catch(() => undefined)
  }

  async #onWake(ids: bigint[], wantsAnswer: boolean): Promise<void> {
    if (!wantsAnswer) return this.flow.wake()
    await waitUntilStored(
      {
        ...this.#options,
        flow: this.flow,
        isStored: (id) => this.shards.isStored(id),
        // Pretends to hold every shard. Otherwise two holders that exchange shards would ask each other forever; the
        // caller repeats its request.
        holds: () => true,
      },
      ids,
      answerTimeoutMs,
    )
  }

  async #verify(shard: Shard, timeoutMs?: number): Promise<void> {
    if (shard.state === 'recovering') return
    const state = await verifyPositions(this.#options.bus, shard, timeoutMs)
    if (this.shards.get(shard.lease.shard) !== shard) return
    if (state === 'missing') {
      shard.state = 'recovering'
      await this.#recover()
    } else if (state === 'present' && shard.state === 'unverified') {
      shard.state = 'ready'
      this.flow.resetWatermark()
    }
  }

  async #recoverShards(): Promise<void> {
    const { pool, bus, service } = this.#options
    const shards = this.shards.all().filter((shard) => shard.state === 'recovering')
    if (shards.length === 0) return
    await recoverShards({ pool, bus, service, flow: this.flow, shards })
    this.#options.schedulePoll()
  }

  async #ensureStreamAndVerify(): Promise<void> {
    // The keeper creates a missing stream before it answers.
    await requestKeeper(this.#options.bus, 'state', {})
    await this.verifyAll()
  }
}

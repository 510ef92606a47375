import type { Bus } from '@parley/rpc'
import { isMessageMissing, jetStream } from '../stream/api.ts'
import { redeclareStreams } from '../stream/declare.ts'
import { decodeBatch } from '../stream/decode.ts'
import { holdsEvent } from '../stream/position.ts'
import { eventStream } from '../subjects.ts'
import { Refusal } from './checks.ts'
import { resetDurables } from './durables.ts'
import type { Recoveries, Recovery, StreamState } from './recoveries.ts'

/**
 * How often a deployable may have durables recreated in a row; after that once per `refillEveryMs`. There is a limit,
 * because false reports make consumers receive events twice.
 */
const maxBurst = 8
const refillEveryMs = 600_000

export class Restorer {
  readonly #bus: Bus
  readonly #recoveries: Recoveries
  readonly #tokenBuckets = new Map<string, { tokens: number; at: number }>()

  constructor(bus: Bus, recoveries: Recoveries) {
    this.#bus = bus
    this.#recoveries = recoveries
  }

  /**
   * Resolves when the durables deliver everything stored from now on, even under reused sequences. `storedMsAgo`: age
   * of the lost event. Throws a Refusal if this caller reports too often.
   */
  async restore(requester: string, storedMsAgo: number): Promise<void> {
    await this.#recoveries.runExclusively(async (last, assertHeld) => {
      await redeclareStreams(this.#bus)
      // If the event was stored before the last recovery, and nothing was lost since, this loss has been repaired.
      if (last !== undefined && storedMsAgo > last.agoMs && (await this.#isUnchanged(last))) return undefined
      if (!this.#takeToken(requester)) throw new Refusal('durables were recreated too often')
      await resetDurables(this.#bus, assertHeld)
      return await this.#state()
    })
  }

  /** Whether this is still the stream of the last recovery, with all of its messages except expired ones. */
  async #isUnchanged({ created, newest }: Recovery): Promise<boolean> {
    const { manager } = await jetStream(this.#bus)
    const info = await manager.streams.info(eventStream)
    if (info.created !== created) return false
    if (newest === undefined) return true
    if (newest.seq < info.state.first_seq) return newest.seq <= info.state.last_seq
    const data = await this.#dataAt(newest.seq)
    return data !== undefined && holdsEvent(data, newest.eventId)
  }

  async #state(): Promise<StreamState> {
    const { manager } = await jetStream(this.#bus)
    const { created, state } = await manager.streams.info(eventStream)
    const seq = state.last_seq
    const data = seq > 0 ? await this.#dataAt(seq) : undefined
    const eventId = data && lastEventId(data)
    return { created, newest: eventId === undefined ? undefined : { seq, eventId } }
  }

  async #dataAt(seq: number): Promise<Uint8Array | undefined> {
    const { manager } = await jetStream(this.#bus)
    try {
      return (await manager.streams.getMessage(eventStream, { seq })).data
    } catch (error) {
      if (isMessageMissing(error)) return undefined
      throw error
    }
  }

  #takeToken(requester: string): boolean {
    const now = performance.now()
    const { tokens, at } = this.#tokenBuckets.get(requester) ?? { tokens: maxBurst, at: now }
    const available = Math.min(maxBurst, tokens + (now - at) / refillEveryMs)
    this.#tokenBuckets.set(requester, { tokens: available < 1 ? available : available - 1, at: now })
    return available >= 1
  }
}

function lastEventId(data: Uint8Array): string | undefined {
  try {
    return decodeBatch(data).at(-1)?.id
  } catch {
    return undefined
  }
}

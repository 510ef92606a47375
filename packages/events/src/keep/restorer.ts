import type { Bus } from '@parley/rpc'
import { isMessageMissing, jetStream } from '../stream/api.ts'
import { redeclareStreams } from '../stream/declare.ts'
import { decodeBatch } from '../stream/decode.ts'
import { holdsEvent } from '../stream/place.ts'
import { eventStream } from '../subjects.ts'
import { Refusal } from './checks.ts'
import { resetDurables } from './durables.ts'
import type { Recoveries, Recovery, StreamState } from './recoveries.ts'

/**
 * Any process of a deployable may request this, and a stream may be lost repeatedly. The limit bounds the damage of
 * false reports, which make others read events twice.
 */
const maxInARow = 8
const oneMoreEveryMs = 600_000

/** Recreates durables after the stream lost events, once per loss, regardless of the number of reports. */
export class Restorer {
  readonly #bus: Bus
  readonly #recoveries: Recoveries
  readonly #allowances = new Map<string, { left: number; at: number }>()

  constructor(bus: Bus, recoveries: Recoveries) {
    this.#bus = bus
    this.#recoveries = recoveries
  }

  /**
   * Resolves when durables will deliver everything stored from now on, even under sequences used before. `storedMsAgo`:
   * how long ago the lost event was stored.
   */
  async restore(requester: string, storedMsAgo: number): Promise<void> {
    await this.#recoveries.turn(async (last, held) => {
      await redeclareStreams(this.#bus)
      // The event was stored before the last recovery, and the stream has not changed since: this loss is already
      // repaired.
      if (last !== undefined && storedMsAgo > last.agoMs && (await this.#stands(last))) return undefined
      if (!this.#allow(requester)) throw new Refusal('durables were recreated too often')
      await resetDurables(this.#bus, held)
      return await this.#state()
    })
  }

  /** Whether this is the stream of the last recovery, with all of its messages except expired ones. */
  async #stands({ created, newest }: Recovery): Promise<boolean> {
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

  #allow(requester: string): boolean {
    const now = performance.now()
    const { left, at } = this.#allowances.get(requester) ?? { left: maxInARow, at: now }
    const filled = Math.min(maxInARow, left + (now - at) / oneMoreEveryMs)
    this.#allowances.set(requester, { left: filled < 1 ? filled : filled - 1, at: now })
    return filled >= 1
  }
}

function lastEventId(data: Uint8Array): string | undefined {
  try {
    return decodeBatch(data).at(-1)?.id
  } catch {
    return undefined
  }
}

import type { Bus } from '@parley/rpc'
import { isMessageMissing, jetStream } from '../stream/api.ts'
import { redeclareStreams } from '../stream/declare.ts'
import { decodeBatch } from '../stream/decode.ts'
import { holdsEvent } from '../stream/place.ts'
import { eventStream } from '../subjects.ts'
import { Refusal } from './checks.ts'
import { resetDurables } from './durables.ts'

/** Every process of a deployable may ask, and a stream may be lost more than once; who lies makes others read twice. */
const mostInARow = 8
const oneMoreEveryMs = 600_000

type Place = { seq: number; eventId: string }

/** Makes durables anew after the stream lost events: once for each loss, and not as often as somebody says so. */
export class Restorer {
  readonly #bus: Bus
  readonly #allowances = new Map<string, { left: number; at: number }>()
  /** The newest event when durables were last made anew. */
  #restoredAt: Place | undefined
  #restoring: Promise<void> = Promise.resolve()

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /** Resolves when durables bring what is stored from now on, whatever was stored under its sequence before. */
  async restore(asker: string, lost: Place): Promise<void> {
    const turn = this.#restoring.then(() => this.#restore(asker, lost))
    this.#restoring = turn.catch(() => undefined)
    await turn
  }

  async #restore(asker: string, lost: Place): Promise<void> {
    await redeclareStreams(this.#bus)
    if (await this.#isRestored(lost)) return
    if (!this.#allow(asker)) throw new Refusal('durables were made anew too often')
    await resetDurables(this.#bus)
    this.#restoredAt = await this.#newest()
  }

  /** What was lost below a place that stands was lost before that place was taken. */
  async #isRestored({ seq }: Place): Promise<boolean> {
    const known = this.#restoredAt
    if (known === undefined || seq > known.seq) return false
    const data = await this.#dataAt(known.seq)
    return data !== undefined && holdsEvent(data, known.eventId)
  }

  async #newest(): Promise<Place | undefined> {
    const { manager } = await jetStream(this.#bus)
    const { last_seq: seq } = (await manager.streams.info(eventStream)).state
    const data = seq > 0 ? await this.#dataAt(seq) : undefined
    try {
      const eventId = data && decodeBatch(data).at(-1)?.id
      return eventId === undefined ? undefined : { seq, eventId }
    } catch {
      return undefined
    }
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

  #allow(asker: string): boolean {
    const now = performance.now()
    const { left, at } = this.#allowances.get(asker) ?? { left: mostInARow, at: now }
    const filled = Math.min(mostInARow, left + (now - at) / oneMoreEveryMs)
    this.#allowances.set(asker, { left: filled < 1 ? filled : filled - 1, at: now })
    return filled >= 1
  }
}

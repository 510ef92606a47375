import { fromBinary } from '@bufbuild/protobuf'
import { PresenceHintSchema, type PresenceHint } from '@parley/contracts/internal'
import { realtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import { hintFrame } from './frame.ts'
import { Latest } from './latest.ts'
import { topics } from './topics.ts'

type Options = {
  publish: (topic: string, frame: Uint8Array) => void
  /** Nobody listens: nothing needs to be encoded. */
  isDeserted: () => boolean
  unreadable: (error: unknown) => void
}

const mostKept = 100_000

/**
 * Tells who came and went. Hints come from several processes and in no order: of each user the newest counts, and an older
 * one that comes late is not told. Whoever comes and goes all the time is told of every two seconds.
 */
export class PresenceHints implements Disposable {
  readonly #options: Options
  readonly #newest = new Map<string, bigint>()
  readonly #latest = new Latest()

  constructor(options: Options) {
    this.#options = options
  }

  take(bytes: Uint8Array): void {
    let hint: PresenceHint
    try {
      hint = fromBinary(PresenceHintSchema, bytes)
    } catch (error) {
      return this.#options.unreadable(error)
    }
    const { userId, status, version } = hint
    if (version <= (this.#newest.get(userId) ?? 0n)) return
    if (this.#newest.size >= mostKept) this.#newest.clear()
    this.#newest.set(userId, version)
    if (this.#options.isDeserted()) return
    this.#latest.offer(userId, () => {
      const event = { id: newId('event'), createdAt: new Date(), value: { userId, status } }
      this.#options.publish(topics.hints, hintFrame(realtimeEnvelope('presence_changed', event)))
    })
  }

  [Symbol.dispose](): void {
    this.#latest[Symbol.dispose]()
  }
}

import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { Event } from '@parley/contracts/internal'

type Newest = { version: bigint; ids: string[]; occurredMs: number }

/** Clocks of two processes differ by less. */
const laterMs = 2000

/** Of which everything is news to somebody. Of the others events say that something is to be read anew. */
const toldInOrder: ReadonlySet<string> = new Set(['room', 'call', 'asset'])

/**
 * Remembers the newest version heard of each room, call and file, and of everything else the events, so that what the stream
 * repeats (a relay sends again what it cannot prove delivered) is heard once. A lower version of something later is no
 * repetition: the database of who tells was put back to an earlier moment. Bounded: what is silent for two generations is forgotten.
 */
export class RecentVersions {
  #young = new Map<string, Newest>()
  #old = new Map<string, Newest>()
  readonly #generationSize: number

  constructor(generationSize = 100_000) {
    this.#generationSize = generationSize
  }

  /** Whether the event is new; remembers it when it is. */
  admit(event: Event): boolean {
    const about = toldInOrder.has(event.aggregateType) ? event.aggregateId : event.id
    const key = `${event.aggregateType}/${about}`
    const newest = this.#young.get(key) ?? this.#old.get(key)
    const occurredMs = event.occurredAt ? timestampMs(event.occurredAt) : 0
    if (newest === undefined) {
      this.#remember(key, { version: event.version, ids: [event.id], occurredMs })
      return true
    }
    if (event.version < newest.version && occurredMs <= newest.occurredMs + laterMs) return false
    if (event.version === newest.version) {
      if (newest.ids.includes(event.id)) return false
      newest.ids.push(event.id)
      return true
    }
    newest.version = event.version
    newest.ids = [event.id]
    newest.occurredMs = occurredMs
    if (!this.#young.has(key)) this.#remember(key, newest)
    return true
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }

  #remember(key: string, newest: Newest): void {
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, newest)
  }
}

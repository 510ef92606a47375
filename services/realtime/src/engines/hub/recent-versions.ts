import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { Event } from '@parley/contracts/internal'

type Newest = { version: bigint; ids: string[]; occurredMs: number }

/** Clocks of two processes differ by less. */
const laterMs = 2000

/**
 * Remembers the newest version heard of each aggregate, so that what the stream repeats (a relay sends again what it
 * cannot prove delivered) is heard once. A lower version of something later is no repetition: the database of who tells was put
 * back to an earlier moment. Bounded: aggregates silent for two generations are forgotten.
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
    // Processes tell of one person's calls at once: their versions have no order.
    const about = event.kind === 'people_called' ? event.id : event.aggregateId
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

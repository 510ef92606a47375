import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { Event } from '@parley/contracts/internal'

/** What was heard of a room, a call or a file. */
type Heard = {
  /** The version heard last, and when its event occurred, in milliseconds. */
  last: bigint
  lastMs: number
  /** Ids of versions up to this one may have been forgotten. */
  floor: bigint
}

type Generation = { ids: Set<string>; heard: Map<string, Heard> }

/** Clocks of two processes differ by less. */
const laterMs = 2000

/** Of which everything is news to somebody. Of the others events say that something is to be read anew. */
const toldInOrder: ReadonlySet<string> = new Set(['room', 'call', 'asset'])

const nothing = (): Generation => ({ ids: new Set(), heard: new Map() })

/**
 * Remembers the events heard, so that what the stream repeats (a relay sends again what it cannot prove delivered) is heard
 * once. A version that was heard before, under an id that was not, is no repetition: the database of who tells was put back to
 * an earlier moment. Ids are forgotten after two generations; from then on versions tell, unless what happened is later.
 */
export class RecentVersions {
  #young = nothing()
  #old = nothing()
  readonly #generationSize: number

  /** `generationSize`: how many events make a generation. */
  constructor(generationSize = 100_000) {
    this.#generationSize = generationSize
  }

  /** Whether the event is new; remembers it when it is. */
  admit(event: Event): boolean {
    if (this.#young.ids.has(event.id) || this.#old.ids.has(event.id)) return false
    if (this.#young.ids.size >= this.#generationSize) {
      this.#old = this.#young
      this.#young = nothing()
    }
    if (toldInOrder.has(event.aggregateType) && !this.#hear(event)) return false
    this.#young.ids.add(event.id)
    return true
  }

  clear(): void {
    this.#young = nothing()
    this.#old = nothing()
  }

  #hear({ aggregateType, aggregateId, version, occurredAt }: Event): boolean {
    const key = `${aggregateType}/${aggregateId}`
    const [young, old] = [this.#young.heard.get(key), this.#old.heard.get(key)]
    const newest = young ?? old
    const lastMs = occurredAt ? timestampMs(occurredAt) : 0
    let floor = young?.floor ?? old?.last ?? version - 1n
    if (newest && version <= (old ?? newest).floor) {
      if (lastMs <= newest.lastMs + laterMs) return false
      this.#old.heard.delete(key)
      floor = version - 1n
    }
    this.#young.heard.set(key, { last: version, lastMs, floor })
    return true
  }
}

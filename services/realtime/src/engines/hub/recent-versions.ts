import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { Event } from '@parley/contracts/internal'

type Seen = {
  last: bigint
  lastMs: number
  /** Ids up to this version may be forgotten. */
  floor: bigint
}

type Generation = { ids: Set<string>; versions: Map<string, Seen> }

const maxClockDifferenceMs = 2000

/** Aggregates whose events are also recognised by version. */
const versionOrderedTypes: ReadonlySet<string> = new Set(['room', 'call', 'asset'])

const emptyGeneration = (): Generation => ({ ids: new Set(), versions: new Map() })

/**
 * Drops duplicates: a relay resends events whose delivery is uncertain. A known version with an unknown id is no
 * duplicate: the database of its service was restored. Ids are forgotten after two generations. From then on, an event
 * of the `versionOrderedTypes` is refused if its version is not above the last forgotten version of its aggregate,
 * unless it happened more than `maxClockDifferenceMs` after the last received event of its aggregate.
 */
export class RecentVersions {
  #young = emptyGeneration()
  #old = emptyGeneration()
  readonly #generationSize: number

  constructor(generationSize = 100_000) {
    this.#generationSize = generationSize
  }

  admit(event: Event): boolean {
    if (this.#young.ids.has(event.id) || this.#old.ids.has(event.id)) return false
    if (this.#young.ids.size >= this.#generationSize) {
      this.#old = this.#young
      this.#young = emptyGeneration()
    }
    if (versionOrderedTypes.has(event.aggregateType) && !this.#admitVersion(event)) return false
    this.#young.ids.add(event.id)
    return true
  }

  clear(): void {
    this.#young = emptyGeneration()
    this.#old = emptyGeneration()
  }

  #admitVersion({ aggregateType, aggregateId, version, occurredAt }: Event): boolean {
    const key = `${aggregateType}/${aggregateId}`
    const [young, old] = [this.#young.versions.get(key), this.#old.versions.get(key)]
    const newest = young ?? old
    const lastMs = occurredAt ? timestampMs(occurredAt) : 0
    let floor = young?.floor ?? old?.last ?? version - 1n
    if (newest && version <= (old ?? newest).floor) {
      if (lastMs <= newest.lastMs + maxClockDifferenceMs) return false
      this.#old.versions.delete(key)
      floor = version - 1n
    }
    this.#young.versions.set(key, { last: version, lastMs, floor })
    return true
  }
}

import type { Database } from '@parley/postgres'
import { BatchDelay } from '../batch-delay.ts'
import type { Batch, Line, Shard } from './shard.ts'
import { markRelayed, type Entry } from './store.ts'

const maxAtOnce = 2000
/**
 * Marking may be delayed, because the next holder sends unmarked entries again and the stream drops the duplicates.
 */
const gatherMs = 50
const enough = 256
const retryMs = 200

type Item = { line: Line; entry: Entry; seq: number }

/** Marks stored entries in the database, many at a time, one statement at a time. */
export class Marker {
  readonly #pool: Database['pool']
  readonly #onFenced: (shard: Shard) => void
  readonly #onMarked: () => void
  readonly #delay = new BatchDelay(gatherMs, enough)
  #items: Item[] = []
  #running: Promise<void> | undefined
  #statement: Promise<void> | undefined

  constructor(pool: Database['pool'], events: { fenced(shard: Shard): void; marked(): void }) {
    this.#pool = pool
    this.#onFenced = events.fenced
    this.#onMarked = events.marked
  }

  add(line: Line, batch: Batch, seq: number): void {
    for (const entry of batch.entries) this.#items.push({ line, entry, seq })
    this.#running ??= this.#run()
    this.#delay.grown(this.#items.length)
  }

  /** Resolves when no statement is running that could still mark entries of a line dropped before the call. */
  async settled(): Promise<void> {
    await this.#statement?.catch(() => undefined)
  }

  async #run(): Promise<void> {
    while (this.#items.length > 0) {
      await this.#delay.wait(this.#items.length)
      const batch = this.#items.splice(0, maxAtOnce).filter(({ line }) => !line.dropped)
      if (batch.length === 0) continue
      try {
        await (this.#statement = this.#mark(batch))
      } catch {
        this.#items.unshift(...batch)
        await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    }
    this.#running = undefined
  }

  async #mark(batch: Item[]): Promise<void> {
    const shards = new Set(batch.map(({ line }) => line.shard))
    const leases = [...shards].map((shard) => shard.lease)
    const held = await markRelayed(this.#pool, leases, batch)
    for (const { line, entry } of batch) if (!line.dropped) line.shard.inHand.delete(entry.id)
    for (const shard of shards) if (!held.has(shard.lease.shard)) this.#onFenced(shard)
    this.#onMarked()
  }
}

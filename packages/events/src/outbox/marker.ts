import type { Database } from '@parley/postgres'
import { BatchDelay } from '../batch-delay.ts'
import type { Batch, AggregateQueue, Shard } from './shard.ts'
import { markRelayed, type Entry } from './store.ts'

const maxPerStatement = 2000
/**
 * A late mark does no harm: if this process dies, the next holder sends unmarked entries again, and the stream drops
 * the duplicates.
 */
const delayMs = 50
const batchSize = 256
const retryMs = 200

type Item = { queue: AggregateQueue; entry: Entry; seq: number }

export class Marker {
  readonly #pool: Database['pool']
  readonly #onFenced: (shard: Shard) => void
  readonly #onMarked: () => void
  readonly #delay = new BatchDelay(delayMs, batchSize)
  #items: Item[] = []
  #running: Promise<void> | undefined
  #statement: Promise<void> | undefined

  constructor(pool: Database['pool'], callbacks: { onFenced(shard: Shard): void; onMarked(): void }) {
    this.#pool = pool
    this.#onFenced = callbacks.onFenced
    this.#onMarked = callbacks.onMarked
  }

  add(queue: AggregateQueue, batch: Batch, seq: number): void {
    for (const entry of batch.entries) this.#items.push({ queue, entry, seq })
    this.#running ??= this.#run()
    this.#delay.reportCount(this.#items.length)
  }

  /** Resolves when no statement is running that could mark entries of a queue dropped before the call. */
  async waitUntilSettled(): Promise<void> {
    await this.#statement?.catch(() => undefined)
  }

  async #run(): Promise<void> {
    while (this.#items.length > 0) {
      await this.#delay.wait(this.#items.length)
      const batch = this.#items.splice(0, maxPerStatement).filter(({ queue }) => !queue.isDropped)
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
    const shards = new Set(batch.map(({ queue }) => queue.shard))
    const leases = [...shards].map((shard) => shard.lease)
    const held = await markRelayed(this.#pool, leases, batch)
    for (const { queue, entry } of batch) if (!queue.isDropped) queue.shard.inFlight.delete(entry.id)
    for (const shard of shards) if (!held.has(shard.lease.shard)) this.#onFenced(shard)
    this.#onMarked()
  }
}

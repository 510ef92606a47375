import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { entriesWritten } from './enqueue.ts'
import type { RelayedShards } from './relayed-shards.ts'
import { singleFlight } from './single-flight.ts'
import { findWaiting, idsByShard } from './store.ts'
import { tellHolder } from './wake.ts'

type Options = Pick<Database, 'pool'> & {
  bus: Bus
  service: string
  relayed: RelayedShards
  /** Asks to `tellOthers` in a while: an entry could not be relayed, nor its holder be found. */
  tryAgain: () => void
}

/**
 * Tracks the entries that this process wrote: wakes its own relay, and notifies the processes that hold the other
 * shards.
 */
export class WrittenEntries implements Disposable {
  readonly #options: Options
  readonly #hearing: Disposable
  /** Written with `enqueue`, committed, and not told of otherwise in the same turn. */
  readonly #committed = new Set<bigint>()
  /** Entries whose holders may still have to be notified. */
  readonly #untold = new Set<bigint>()

  /** Sends the notifications that could not be sent when the entries were written. */
  readonly tellOthers = singleFlight(() => this.#tellOthers())

  constructor(options: Options) {
    this.#options = options
    this.#hearing = entriesWritten.listen(options.pool, (entryIds) => {
      if (this.#committed.size === 0) setImmediate(() => this.#wakeCommitted())
      for (const id of entryIds) this.#committed.add(id)
    })
  }

  /** The caller itself says so, or waits for them. */
  told(entryIds: readonly bigint[]): void {
    for (const id of entryIds) this.#committed.delete(id)
  }

  /** Entries wait. Never rejects: what fails is tried again. */
  async wake(entryIds: readonly bigint[]): Promise<void> {
    const { shards, flow } = this.#options.relayed
    try {
      await flow.kick()
      if (shards.holdsAll()) return
      for (const id of entryIds) if (!shards.knows(id)) this.#untold.add(id)
      await this.tellOthers()
    } catch {
      for (const id of entryIds) this.#untold.add(id)
      this.#options.tryAgain()
    }
  }

  [Symbol.dispose](): void {
    this.#hearing[Symbol.dispose]()
  }

  #wakeCommitted(): void {
    if (this.#committed.size === 0) return
    const ids = [...this.#committed]
    this.#committed.clear()
    void this.wake(ids)
  }

  async #tellOthers(): Promise<void> {
    const { pool, bus, service, relayed } = this.#options
    if (this.#untold.size === 0 || !bus.connected()) return
    const ids = [...this.#untold]
    for (const [shard, theirs] of idsByShard(await findWaiting(pool, ids))) {
      if (!relayed.shards.holds(shard)) tellHolder(bus, service, shard, theirs)
    }
    for (const id of ids) this.#untold.delete(id)
  }
}

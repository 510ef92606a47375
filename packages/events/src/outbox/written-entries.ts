import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { withoutTrace } from '@parley/telemetry'
import { entriesWritten } from './enqueue.ts'
import type { RelayedShards } from './relayed-shards.ts'
import { singleFlight } from './single-flight.ts'
import { findWaiting, idsByShard } from './store.ts'
import { notifyHolder } from './wake.ts'

type Options = Pick<Database, 'pool'> & {
  bus: Bus
  service: string
  relayed: RelayedShards
  scheduleRetry: () => void
}

export class WrittenEntries implements Disposable {
  readonly #options: Options
  readonly #subscription: Disposable
  /** Entries committed in this turn of the event loop, except those left to the caller. */
  readonly #committed = new Set<bigint>()
  readonly #unnotified = new Set<bigint>()

  readonly notifyHolders = singleFlight(() => withoutTrace(() => this.#notifyHolders()))

  constructor(options: Options) {
    this.#options = options
    this.#subscription = entriesWritten.listen(options.pool, (entryIds) => {
      if (this.#committed.size === 0) setImmediate(() => this.#wakeCommitted())
      for (const id of entryIds) this.#committed.add(id)
    })
  }

  /** Does not announce these entries, because the caller announces them or waits for them. */
  leaveToCaller(entryIds: readonly bigint[]): void {
    for (const id of entryIds) this.#committed.delete(id)
  }

  async wake(entryIds: readonly bigint[]): Promise<void> {
    const { shards, flow } = this.#options.relayed
    try {
      await flow.readExpected()
      if (shards.holdsAll()) return
      for (const id of entryIds) if (!shards.isInFlight(id)) this.#unnotified.add(id)
      await this.notifyHolders()
    } catch {
      for (const id of entryIds) this.#unnotified.add(id)
      this.#options.scheduleRetry()
    }
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
  }

  #wakeCommitted(): void {
    if (this.#committed.size === 0) return
    const ids = [...this.#committed]
    this.#committed.clear()
    void this.wake(ids)
  }

  async #notifyHolders(): Promise<void> {
    const { pool, bus, service, relayed } = this.#options
    if (this.#unnotified.size === 0 || !bus.connected()) return
    const ids = [...this.#unnotified]
    for (const [shard, shardIds] of idsByShard(await findWaiting(pool, ids))) {
      if (!relayed.shards.holds(shard)) notifyHolder(bus, service, shard, shardIds)
    }
    for (const id of ids) this.#unnotified.delete(id)
  }
}

import { isValid } from './leases.ts'
import type { Shard } from './shard.ts'
import { shardCount } from './shards.ts'

export class HeldShards {
  readonly #shards = new Map<number, { shard: Shard; subscription: Disposable }>()

  add(shard: Shard, subscription: Disposable): void {
    this.#shards.set(shard.lease.shard, { shard, subscription })
  }

  /** Drops a shard and its in-flight entries. Returns false if it is not held, or was taken again meanwhile. */
  drop(shard: Shard): boolean {
    const held = this.#shards.get(shard.lease.shard)
    if (held?.shard !== shard) return false
    shard.clear()
    held.subscription[Symbol.dispose]()
    return this.#shards.delete(shard.lease.shard)
  }

  get(number: number): Shard | undefined {
    return this.#shards.get(number)?.shard
  }

  all(): Shard[] {
    return [...this.#shards.values()].map((held) => held.shard)
  }

  holds(number: number): boolean {
    const shard = this.get(number)
    return shard !== undefined && isValid(shard.lease)
  }

  holdsAll(): boolean {
    return this.#shards.size === shardCount && this.all().every((shard) => isValid(shard.lease))
  }

  isInFlight(id: bigint): boolean {
    return this.all().some((shard) => shard.inFlight.has(id))
  }

  /** Whether the stream has the entry. Known only until the entry is marked and no longer in flight. */
  isStored(id: bigint): boolean {
    return this.all().some((shard) => shard.inFlight.get(id) === true)
  }

  inFlight(): bigint[] {
    return this.all().flatMap((shard) => [...shard.inFlight.keys()])
  }
}

/** The maximum number of processes that relay one service's events at once. */
export const shardCount = 8

/** The shard of an aggregate (`<type>.<id>`), by FNV-1a: the same in every process and release. */
export function shardOf(aggregate: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < aggregate.length; index++) {
    hash = Math.imul(hash ^ aggregate.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0) % shardCount
}

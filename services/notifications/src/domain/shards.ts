/**
 * Each shard is an aggregate of the type `notification`: the events of a user keep their order, and one event may be
 * for many users.
 */
const shardCount = 16

export const allShards: readonly number[] = Array.from({ length: shardCount }, (_, shard) => shard)

/** The shard of a user is the same in every process and release. */
function shardOf(userId: string): number {
  let sum = 0
  for (let index = 0; index < userId.length; index++) sum = (sum * 31 + userId.charCodeAt(index)) % 65_521
  return sum % shardCount
}

export function byShard<T extends { userId: string }>(items: readonly T[]): Map<number, T[]> {
  const found = new Map<number, T[]>()
  for (const item of items) {
    const shard = shardOf(item.userId)
    const group = found.get(shard)
    if (group) group.push(item)
    else found.set(shard, [item])
  }
  return found
}

export const shardsOf = (userIds: readonly string[]): number[] => [...new Set(userIds.map(shardOf))]

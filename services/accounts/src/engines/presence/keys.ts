/**
 * A user who does not report again is offline after a deadline. The deadlines are spread over this many sorted sets, so
 * that no set becomes too large. The braces in the keys keep a set, and the records of the users in it, on one Redis
 * node.
 */
export const shards = 16

export const recordKey = (userId: string): string => `presence:{${shardOf(userId)}}:of:${userId}`
export const deadlinesKey = (shard: number): string => `presence:{${shard}}:deadlines`
export const sweeperKey = 'presence:sweeper'

export function shardOf(userId: string): number {
  let hash = 0x811c9dc5 // FNV-1a
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % shards
}

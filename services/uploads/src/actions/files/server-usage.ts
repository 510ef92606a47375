import { LRUCache } from 'lru-cache'

const cacheTtlMs = 30_000

/** Number of stored bytes. The sum covers all files, so it is cached for half a minute. */
export function cacheUsage(measure: () => Promise<number>, now: () => Date): () => Promise<number> {
  const known = new LRUCache<'bytes', number>({
    ...{ max: 1, ttl: cacheTtlMs, ttlResolution: 0, perf: { now: () => now().getTime() } },
    fetchMethod: measure,
  })
  return () => known.forceFetch('bytes')
}

import { LRUCache } from 'lru-cache'

const cacheTtlMs = 30_000

/**
 * Returns a function for the number of stored bytes. Measuring adds up all files, so the result is cached for half a
 * minute.
 */
export function cacheUsage(measure: () => Promise<number>, now: () => Date): () => Promise<number> {
  const cache = new LRUCache<'bytes', number>({
    ...{ max: 1, ttl: cacheTtlMs, ttlResolution: 0, perf: { now: () => now().getTime() } },
    fetchMethod: measure,
  })
  return () => cache.forceFetch('bytes')
}

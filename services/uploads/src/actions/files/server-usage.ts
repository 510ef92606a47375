import { LRUCache } from 'lru-cache'

const cacheTtlMs = 30_000

/** Caches the result for half a minute: the size of all files and open uploads, in bytes. */
export function cacheServerUsage(measure: () => Promise<number>, now: () => Date): () => Promise<number> {
  const cache = new LRUCache<'bytes', number>({
    ...{ max: 1, ttl: cacheTtlMs, ttlResolution: 0, perf: { now: () => now().getTime() } },
    fetchMethod: measure,
  })
  return () => cache.forceFetch('bytes')
}

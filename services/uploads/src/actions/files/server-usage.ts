import { LRUCache } from 'lru-cache'

const cacheTtlMs = 30_000

/** `measure` returns the size of all files and open uploads, in bytes. The result is cached for half a minute. */
export function cacheServerUsage(measure: () => Promise<number>, now: () => Date): () => Promise<number> {
  const cache = new LRUCache<'bytes', number>({
    ...{ max: 1, ttl: cacheTtlMs, ttlResolution: 0, perf: { now: () => now().getTime() } },
    fetchMethod: measure,
  })
  return () => cache.forceFetch('bytes')
}

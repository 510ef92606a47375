import { LRUCache } from 'lru-cache'

const goodForMs = 30_000

/** How many bytes the server keeps. A sum over all files: an answer is half a minute old at most. */
export function rememberUsage(measure: () => Promise<number>, now: () => Date): () => Promise<number> {
  const known = new LRUCache<'bytes', number>({
    ...{ max: 1, ttl: goodForMs, ttlResolution: 0, perf: { now: () => now().getTime() } },
    fetchMethod: measure,
  })
  return () => known.forceFetch('bytes')
}

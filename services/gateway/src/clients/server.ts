import { create } from '@bufbuild/protobuf'
import { type GetServerResponse, GetServerResponseSchema } from '@parley/contracts/discovery'
import { LRUCache } from 'lru-cache'

export type DescribeServer = () => Promise<GetServerResponse>

const ttlMs = 5_000

/**
 * Caches the description for five seconds. If fetching fails, returns the last description or a default, so that people
 * with a password can sign in during an outage of admin.
 */
export function cacheServerDescription(fetch: () => Promise<GetServerResponse>, now = Date.now): DescribeServer {
  const fallback = create(GetServerResponseSchema, { profile: { name: 'Parley' }, login: {} })
  const cache = new LRUCache<'server', GetServerResponse>({
    ...{ max: 1, ttl: ttlMs, ttlResolution: 0, perf: { now }, allowStaleOnFetchRejection: true },
    fetchMethod: fetch,
  })
  return async () => (await cache.fetch('server').catch(() => undefined)) ?? fallback
}

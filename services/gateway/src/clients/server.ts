import { create } from '@bufbuild/protobuf'
import { type GetServerResponse, GetServerResponseSchema } from '@parley/contracts/discovery'
import { LRUCache } from 'lru-cache'

/** The public description of this server: its name and sign-in methods. */
export type ServerDescription = () => Promise<GetServerResponse>

const goodForMs = 5_000

/**
 * Fetches the description at most once in a few seconds. If the request fails the last one is used, so that people with
 * a password can sign in during an outage.
 */
export function serverDescription(fetch: () => Promise<GetServerResponse>, now = Date.now): ServerDescription {
  const unknown = create(GetServerResponseSchema, { profile: { name: 'Parley' }, login: {} })
  const known = new LRUCache<'server', GetServerResponse>({
    ...{ max: 1, ttl: goodForMs, ttlResolution: 0, perf: { now }, allowStaleOnFetchRejection: true },
    fetchMethod: fetch,
  })
  return async () => (await known.fetch('server').catch(() => undefined)) ?? unknown
}

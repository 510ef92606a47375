import type { Client } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'

type Rooms = Pick<Client<typeof RoomsInternalService>, 'listPresenceAudiences'>

const idsPerCall = 50
const timeoutMs = 400
const cacheTtlMs = 60_000
const maxCached = 500

/** The people who share a direct message or a small channel with a user; cached for a minute. */
export class Audiences {
  readonly #cache: LRUCache<string, string[]>

  constructor(rooms: Rooms) {
    const loader = new DataLoader((userIds: readonly string[]) => fetchAudiences(rooms, userIds), {
      ...{ cache: false, maxBatchSize: idsPerCall },
    })
    this.#cache = new LRUCache({
      ...{ max: maxCached, ttl: cacheTtlMs, ignoreFetchAbort: true },
      fetchMethod: (userId) => loader.load(userId),
    })
  }

  /** By user id. While the service `rooms` is unavailable, users whose audience is not cached are missing. */
  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const lookups = userIds.map(
      async (userId) => [userId, await this.#cache.fetch(userId).catch(() => undefined)] as const,
    )
    return new Map((await Promise.all(lookups)).flatMap(([userId, others]) => (others ? [[userId, others]] : [])))
  }
}

async function fetchAudiences(rooms: Rooms, userIds: readonly string[]) {
  const { audiences } = await rooms.listPresenceAudiences({ userIds: [...userIds] }, { timeoutMs })
  const byUser = new Map(audiences.map(({ userId, others }) => [userId, others]))
  return userIds.map((userId) => byUser.get(userId))
}

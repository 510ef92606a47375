import type { Client } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'

type Rooms = Pick<Client<typeof RoomsInternalService>, 'listPresenceAudiences'>

const idsPerCall = 50
const timeoutMs = 400
const keptMs = 60_000
const maxKept = 500

/** Looks up in rooms which people share a room with a user. */
export class Audiences {
  readonly #kept: LRUCache<string, string[]>

  constructor(rooms: Rooms) {
    const loader = new DataLoader((userIds: readonly string[]) => fetchAudiences(rooms, userIds), {
      ...{ cache: false, maxBatchSize: idsPerCall },
    })
    this.#kept = new LRUCache({
      ...{ max: maxKept, ttl: keptMs, ignoreFetchAbort: true },
      fetchMethod: (userId) => loader.load(userId),
    })
  }

  /** The audiences of these users, by user; missing if rooms does not answer. */
  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const lookups = userIds.map(
      async (userId) => [userId, await this.#kept.fetch(userId).catch(() => undefined)] as const,
    )
    return new Map((await Promise.all(lookups)).flatMap(([userId, others]) => (others ? [[userId, others]] : [])))
  }
}

async function fetchAudiences(rooms: Rooms, userIds: readonly string[]) {
  const { audiences } = await rooms.listPresenceAudiences({ userIds: [...userIds] }, { timeoutMs })
  const byUser = new Map(audiences.map(({ userId, others }) => [userId, others]))
  return userIds.map((userId) => byUser.get(userId))
}

import { LRUCache } from 'lru-cache'
import type { ServiceClients } from './service-clients.ts'

/** Missing memberships are not cached. */
const cacheTtlMs = 5_000
const maxCached = 10_000
const timeoutMs = 3_000

export class RoomNames {
  readonly #rooms: ServiceClients['rooms']
  readonly #cache = new LRUCache<string, string>({ max: maxCached, ttl: cacheTtlMs })

  constructor(rooms: ServiceClients['rooms']) {
    this.#rooms = rooms
  }

  /** The name of the room for each given user who is a member; empty for a direct message. */
  async namesFor(roomId: string, userIds: readonly string[]): Promise<Map<string, string>> {
    const start = performance.now()
    const known = new Map<string, string>()
    for (const userId of userIds) {
      const cached = this.#cache.get(keyOf(roomId, userId))
      if (cached !== undefined) known.set(userId, cached)
    }
    const unknown = userIds.filter((userId) => !known.has(userId))
    if (unknown.length === 0) return known
    const found = await this.#rooms.listRecipients({ roomId, userIds: unknown, limit: unknown.length }, { timeoutMs })
    const roomName = found.room?.name ?? ''
    for (const userId of found.userIds) {
      known.set(userId, roomName)
      this.#cache.set(keyOf(roomId, userId), roomName, { start })
    }
    return known
  }
}

const keyOf = (roomId: string, userId: string): string => `${roomId} ${userId}`

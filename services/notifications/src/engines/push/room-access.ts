import { LRUCache } from 'lru-cache'
import type { Neighbours } from './neighbours.ts'

/** How long positive answers are cached; negative ones are not. */
const keptMs = 5_000
const maxKept = 10_000
const timeoutMs = 3_000

/** Checks access to rooms and looks up their names. */
export class PushAccess {
  readonly #rooms: Neighbours['rooms']
  /** Names of rooms, by room and person. */
  readonly #kept = new LRUCache<string, string>({ max: maxKept, ttl: keptMs })

  constructor(rooms: Neighbours['rooms']) {
    this.#rooms = rooms
  }

  /** The room's name for each of the users who are members; empty for a direct message. */
  async roomNames(roomId: string, userIds: readonly string[]): Promise<Map<string, string>> {
    const start = performance.now()
    const known = new Map<string, string>()
    for (const userId of userIds) {
      const kept = this.#kept.get(keyOf(roomId, userId))
      if (kept !== undefined) known.set(userId, kept)
    }
    const unknown = userIds.filter((userId) => !known.has(userId))
    if (unknown.length === 0) return known
    const found = await this.#rooms.listRecipients({ roomId, userIds: unknown, limit: unknown.length }, { timeoutMs })
    const roomName = found.room?.name ?? ''
    for (const userId of found.userIds) {
      known.set(userId, roomName)
      this.#kept.set(keyOf(roomId, userId), roomName, { start })
    }
    return known
  }
}

const keyOf = (roomId: string, userId: string): string => `${roomId} ${userId}`

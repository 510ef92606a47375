import type { Neighbours } from './neighbours.ts'

/** As long as a yes may be kept; a no never is. */
const keptMs = 5_000
const mostKept = 10_000
const timeoutMs = 3_000

/** Who may hear of a room, and what it is called. */
export class PushAccess {
  readonly #rooms: Neighbours['rooms']
  readonly #kept = new Map<string, { untilMs: number; roomName: string }>()

  constructor(rooms: Neighbours['rooms']) {
    this.#rooms = rooms
  }

  /** The name of the room for each of those who are in it; empty for a direct conversation. */
  async roomNames(roomId: string, userIds: readonly string[]): Promise<Map<string, string>> {
    const nowMs = Date.now()
    const known = new Map<string, string>()
    for (const userId of userIds) {
      const kept = this.#kept.get(keyOf(roomId, userId))
      if (kept && kept.untilMs > nowMs) known.set(userId, kept.roomName)
    }
    const unknown = userIds.filter((userId) => !known.has(userId))
    if (unknown.length === 0) return known
    const found = await this.#rooms.listRecipients({ roomId, userIds: unknown, limit: unknown.length }, { timeoutMs })
    const roomName = found.room?.name ?? ''
    if (this.#kept.size > mostKept) this.#kept.clear()
    for (const userId of found.userIds) {
      known.set(userId, roomName)
      this.#kept.set(keyOf(roomId, userId), { untilMs: nowMs + keptMs, roomName })
    }
    return known
  }
}

const keyOf = (roomId: string, userId: string): string => `${roomId} ${userId}`

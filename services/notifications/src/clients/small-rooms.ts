import { LRUCache } from 'lru-cache'
import type { Audiences } from './audiences.ts'

const cacheTtlMs = 60_000
const maxCached = 10_000
/** Short, because the service `rooms` usually answers in milliseconds, and a job can find the members as well. */
const timeoutMs = 500
const pauseMs = 10_000

export class SmallRooms {
  readonly #audiences: Pick<Audiences, 'listMembers'>
  /** By room id: the room has more members than this number. 0 if none is known; Infinity for a universal room. */
  readonly #lowerBounds = new LRUCache<string, number>({ max: maxCached, ttl: cacheTtlMs })
  #pausedUntil = 0

  constructor(audiences: Pick<Audiences, 'listMembers'>) {
    this.#audiences = audiences
  }

  /**
   * Undefined if the room has more than `limit` members, if a request of this method to the service `rooms`
   * has failed in the last `pauseMs`, or if the room is universal: the service would have to read all people.
   */
  async listMembers(roomId: string, limit: number): Promise<{ userIds: string[]; roomName: string } | undefined> {
    if (performance.now() < this.#pausedUntil) return undefined
    try {
      const lowerBound = this.#lowerBounds.get(roomId) ?? (await this.#fetchLowerBound(roomId))
      if (lowerBound >= limit) return undefined
      const found = await this.#audiences.listMembers(roomId, { all: true }, limit + 1, timeoutMs)
      if (found.last) return found
      this.#lowerBounds.set(roomId, limit)
    } catch {
      this.#pausedUntil = performance.now() + pauseMs
    }
    return undefined
  }

  async #fetchLowerBound(roomId: string): Promise<number> {
    const { universal } = await this.#audiences.listMembers(roomId, {}, 1, timeoutMs)
    const lowerBound = universal ? Infinity : 0
    this.#lowerBounds.set(roomId, lowerBound)
    return lowerBound
  }
}

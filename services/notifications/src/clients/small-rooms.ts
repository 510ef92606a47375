import { LRUCache } from 'lru-cache'
import type { Audiences } from './audiences.ts'

/** How long it is remembered that a room is large, or whether it is universal. */
const knownMs = 60_000
const maxKnown = 10_000
/** Short, because rooms answers in milliseconds and a job can find the members as well. */
const timeoutMs = 500
/** How long rooms is not called again after it did not answer. */
const pauseMs = 10_000

/** Looks up the members of small rooms, if that is cheap. */
export class SmallRooms {
  readonly #audiences: Pick<Audiences, 'members'>
  /** By room, a number that its number of members is known to exceed. */
  readonly #larger = new LRUCache<string, number>({ max: maxKnown, ttl: knownMs })
  #pausedUntil = 0

  constructor(audiences: Pick<Audiences, 'members'>) {
    this.#audiences = audiences
  }

  /**
   * Returns all effective members of a room, and its name. Undefined if there are more than `limit`, if the room is
   * universal, because rooms would have to read all people, or if rooms does not answer.
   */
  async members(roomId: string, limit: number): Promise<{ userIds: string[]; roomName: string } | undefined> {
    if (performance.now() < this.#pausedUntil) return undefined
    try {
      const larger = this.#larger.get(roomId) ?? (await this.#fetchBound(roomId))
      if (larger >= limit) return undefined
      const found = await this.#audiences.members(roomId, { all: true }, limit + 1, timeoutMs)
      if (found.last) return found
      this.#larger.set(roomId, limit)
    } catch {
      this.#pausedUntil = performance.now() + pauseMs
    }
    return undefined
  }

  /** Looks up whether the room is universal, without its members. Returns a number that its members exceed. */
  async #fetchBound(roomId: string): Promise<number> {
    const { universal } = await this.#audiences.members(roomId, {}, 1, timeoutMs)
    const larger = universal ? Infinity : 0
    this.#larger.set(roomId, larger)
    return larger
  }
}

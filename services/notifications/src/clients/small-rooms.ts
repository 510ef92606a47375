import { LRUCache } from 'lru-cache'
import type { Audiences } from './audiences.ts'

/** How long a room is known to be large, or not to be universal. */
const knownMs = 60_000
const maxKnown = 10_000
/** Rooms answers in milliseconds; others do not wait longer for what a job can find as well. */
const timeoutMs = 500
/** How long rooms is not asked again after it did not answer. */
const pauseMs = 10_000

/** Looks up the members of rooms that have few of them, where that costs little. */
export class SmallRooms {
  readonly #audiences: Pick<Audiences, 'members'>
  /** By room, a number that its members are known to exceed. */
  readonly #larger = new LRUCache<string, number>({ max: maxKnown, ttl: knownMs })
  #pausedUntil = 0

  constructor(audiences: Pick<Audiences, 'members'>) {
    this.#audiences = audiences
  }

  /**
   * All effective members of a room, and its name. Undefined if there are more than `most`, if the room is universal,
   * because rooms would read all people to find the few who belong, or if rooms does not answer.
   */
  async members(roomId: string, most: number): Promise<{ userIds: string[]; roomName: string } | undefined> {
    if (performance.now() < this.#pausedUntil) return undefined
    try {
      const larger = this.#larger.get(roomId) ?? (await this.#look(roomId))
      if (larger >= most) return undefined
      const found = await this.#audiences.members(roomId, { all: true }, most + 1, timeoutMs)
      if (found.last) return found
      this.#larger.set(roomId, most)
    } catch {
      this.#pausedUntil = performance.now() + pauseMs
    }
    return undefined
  }

  /** Asks for the room alone, without people. */
  async #look(roomId: string): Promise<number> {
    const { universal } = await this.#audiences.members(roomId, {}, 1, timeoutMs)
    const larger = universal ? Infinity : 0
    this.#larger.set(roomId, larger)
    return larger
  }
}

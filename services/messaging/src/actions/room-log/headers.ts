import { LRUCache } from 'lru-cache'
import type { RoomHeader } from '../../domain/room-line.ts'

/**
 * Headers of rooms that this process recently read or wrote. They may be stale: a write must pass the version it relies
 * on, and a refusal must be checked against the database first.
 */
export class Headers {
  readonly #headers: LRUCache<string, RoomHeader>

  constructor(load: (roomId: string) => Promise<RoomHeader | undefined>, maxEntries = 20_000) {
    this.#headers = new LRUCache({
      max: maxEntries,
      // A header stored during a read stays in the cache, although the reader gets the one that it read.
      ignoreFetchAbort: true,
      fetchMethod: async (roomId) => (await load(roomId)) ?? this.#headers.get(roomId),
    })
  }

  /** The cached header, else the stored one; undefined for an unknown room. */
  get(roomId: string): Promise<RoomHeader | undefined> {
    const held = this.#headers.get(roomId)
    return held ? Promise.resolve(held) : this.#headers.fetch(roomId)
  }

  /** Keeps a header that was just read or written, unless a newer one is held. */
  put(header: RoomHeader): void {
    const held = this.#headers.peek(header.roomId)
    if (!held || held.version <= header.version) this.#headers.set(header.roomId, header)
  }
}

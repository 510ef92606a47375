import { LRUCache } from 'lru-cache'
import type { RoomHeader } from '../../domain/room-header.ts'

/**
 * Headers of rooms that this process recently read or wrote. They may be stale: a write must compare the version, and a
 * refusal must be confirmed with the stored header.
 */
export class RoomHeaderCache {
  readonly #headers: LRUCache<string, RoomHeader>

  constructor(load: (roomId: string) => Promise<RoomHeader | undefined>, maxEntries = 20_000) {
    this.#headers = new LRUCache({
      max: maxEntries,
      // A header that `put` caches during a read stays cached.
      ignoreFetchAbort: true,
      fetchMethod: async (roomId) => (await load(roomId)) ?? this.#headers.get(roomId),
    })
  }

  get(roomId: string): Promise<RoomHeader | undefined> {
    const cached = this.#headers.get(roomId)
    return cached ? Promise.resolve(cached) : this.#headers.fetch(roomId)
  }

  /** Has no effect if a newer header is cached. */
  put(header: RoomHeader): void {
    const cached = this.#headers.peek(header.roomId)
    if (!cached || cached.version <= header.version) this.#headers.set(header.roomId, header)
  }
}

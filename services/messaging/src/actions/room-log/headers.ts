import type { RoomHeader } from '../../domain/room-line.ts'

/**
 * Headers of rooms that this process lately read or wrote. They may be old: who writes with one names its version, and who
 * refuses because of one looks at the database first.
 */
export class Headers {
  readonly #headers = new Map<string, RoomHeader>()
  readonly #loading = new Map<string, Promise<RoomHeader | undefined>>()
  readonly #load: (roomId: string) => Promise<RoomHeader | undefined>
  readonly #most: number

  constructor(load: (roomId: string) => Promise<RoomHeader | undefined>, most = 20_000) {
    this.#load = load
    this.#most = most
  }

  /** The header held, or the stored one; undefined for a room unknown to the database. */
  get(roomId: string): Promise<RoomHeader | undefined> {
    const held = this.#headers.get(roomId)
    return held ? Promise.resolve(held) : this.#loadOnce(roomId)
  }

  /** Keeps a header that was just read or written, unless a newer one is held. */
  put(header: RoomHeader): void {
    const held = this.#headers.get(header.roomId)
    if (held && held.version > header.version) return
    // The one put longest ago stands first.
    this.#headers.delete(header.roomId)
    this.#headers.set(header.roomId, header)
    if (this.#headers.size <= this.#most) return
    const [oldest] = this.#headers.keys()
    if (oldest !== undefined) this.#headers.delete(oldest)
  }

  #loadOnce(roomId: string): Promise<RoomHeader | undefined> {
    const loading = this.#loading.get(roomId)
    if (loading) return loading
    const started = this.#load(roomId).then((header) => {
      if (header) this.put(header)
      return header
    })
    this.#loading.set(roomId, started)
    return started.finally(() => this.#loading.delete(roomId))
  }
}

import type { UniversalRoom } from '../../domain/standing.ts'

/**
 * All universal rooms of the server, and those that have ceased to be universal since the start. Loaded at the start
 * and after an interruption of the stream, and updated from the stream; headers that are not newer are ignored.
 */
export class UniversalRooms {
  readonly #rooms = new Map<string, UniversalRoom>()

  /** Applies a header; returns whether a property that affects delivery changed. */
  set(room: UniversalRoom): boolean {
    const known = this.#rooms.get(room.roomId)
    if (!known && !room.universal) return false
    if (known && room.version <= known.version) return false
    this.#rooms.set(room.roomId, room)
    return known?.universal !== room.universal || known.groupId !== room.groupId
  }

  /** The header of a room; undefined if the room is not universal. */
  get(roomId: string): UniversalRoom | undefined {
    const room = this.#rooms.get(roomId)
    return room?.universal ? room : undefined
  }

  /** Ids of the rooms that are universal. */
  ids(): string[] {
    return [...this.#rooms.values()].flatMap(({ roomId, universal }) => (universal ? [roomId] : []))
  }
}

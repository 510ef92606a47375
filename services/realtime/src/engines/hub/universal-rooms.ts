import type { UniversalRoom } from '../../domain/standing.ts'

/**
 * The universal rooms, and rooms that ceased to be universal since the start. Loaded at the start and after an
 * interruption of the stream; the stream updates them.
 */
export class UniversalRooms {
  readonly #rooms = new Map<string, UniversalRoom>()

  /** Ignores older headers. Returns whether a property that affects delivery changed. */
  set(room: UniversalRoom): boolean {
    const known = this.#rooms.get(room.roomId)
    if (!known && !room.universal) return false
    if (known && room.version <= known.version) return false
    this.#rooms.set(room.roomId, room)
    return known?.universal !== room.universal || known.groupId !== room.groupId
  }

  get(roomId: string): UniversalRoom | undefined {
    const room = this.#rooms.get(roomId)
    return room?.universal ? room : undefined
  }

  ids(): string[] {
    return [...this.#rooms.values()].flatMap(({ roomId, universal }) => (universal ? [roomId] : []))
  }
}

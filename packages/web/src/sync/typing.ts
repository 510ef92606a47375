import type { MemberClient } from '@parley/client'
import { Cell } from '../state/cell.ts'

/** How long a hint is shown, and the minimum interval of sending one; both are defined in the contract. */
const [shownMs, everyMs] = [6_000, 2_000]
/** Hints and messages take different paths, so a hint may arrive after a message that was sent later. */
const lateMs = 1_000

/** Who is typing where. */
export class Typing {
  readonly #cells = new Map<string, Cell<readonly string[]>>()
  readonly #ends = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #server: MemberClient
  readonly #sentAt = new Map<string, number>()
  readonly #endedAt = new Map<string, number>()

  constructor(server: MemberClient) {
    this.#server = server
  }

  /** Ids of who is typing in a room, or in a thread of it. */
  in(place: string): Cell<readonly string[]> {
    let cell = this.#cells.get(place)
    if (!cell) this.#cells.set(place, (cell = new Cell<readonly string[]>([])))
    return cell
  }

  started(place: string, userId: string): void {
    const key = `${place}/${userId}`
    if (performance.now() - (this.#endedAt.get(key) ?? -Infinity) < lateMs) return
    this.in(place).update((ids) => (ids.includes(userId) ? ids : [...ids, userId]))
    clearTimeout(this.#ends.get(key))
    this.#ends.set(
      key,
      setTimeout(() => {
        this.#ends.delete(key)
        this.#take(place, userId)
      }, shownMs),
    )
  }

  /** Ends the typing indicator of a user whose message has arrived. */
  ended(place: string, userId: string): void {
    const key = `${place}/${userId}`
    this.#endedAt.set(key, performance.now())
    const end = this.#ends.get(key)
    if (end === undefined) return
    clearTimeout(end)
    this.#ends.delete(key)
    this.#take(place, userId)
  }

  /** Notifies others that the user is typing. */
  notify(roomId: string, threadRootEventId: string): void {
    const place = `${roomId}/${threadRootEventId}`
    if (performance.now() - (this.#sentAt.get(place) ?? -Infinity) < everyMs) return
    this.#sentAt.set(place, performance.now())
    void this.#server.api.room.updateTypingIndicator({ roomId, threadRootEventId }).catch(() => undefined)
  }

  #take(place: string, userId: string): void {
    this.#cells.get(place)?.update((ids) => (ids.includes(userId) ? ids.filter((id) => id !== userId) : ids))
  }
}

import type { MemberClient } from '@parley/client'
import { Cell } from '../state/cell.ts'

/** Time for which a hint is shown, and minimum interval between two sent hints. The contract defines both. */
const [shownMs, everyMs] = [6_000, 2_000]
/** Hints and messages take different paths: a hint may arrive after a message that was sent after it. */
const lateMs = 1_000

export class Typing {
  readonly #cells = new Map<string, Cell<readonly string[]>>()
  readonly #ends = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #server: MemberClient
  readonly #sentAt = new Map<string, number>()
  readonly #endedAt = new Map<string, number>()

  constructor(server: MemberClient) {
    this.#server = server
  }

  /** Ids of the users who are typing in a conversation. */
  in(conversation: string): Cell<readonly string[]> {
    let cell = this.#cells.get(conversation)
    if (!cell) this.#cells.set(conversation, (cell = new Cell<readonly string[]>([])))
    return cell
  }

  onTyping(conversation: string, userId: string): void {
    const key = `${conversation}/${userId}`
    if (performance.now() - (this.#endedAt.get(key) ?? -Infinity) < lateMs) return
    this.in(conversation).update((ids) => (ids.includes(userId) ? ids : [...ids, userId]))
    clearTimeout(this.#ends.get(key))
    this.#ends.set(
      key,
      setTimeout(() => {
        this.#ends.delete(key)
        this.#remove(conversation, userId)
      }, shownMs),
    )
  }

  onTypingEnded(conversation: string, userId: string): void {
    const key = `${conversation}/${userId}`
    this.#endedAt.set(key, performance.now())
    const end = this.#ends.get(key)
    if (end === undefined) return
    clearTimeout(end)
    this.#ends.delete(key)
    this.#remove(conversation, userId)
  }

  notify(roomId: string, threadRootEventId: string): void {
    const conversation = `${roomId}/${threadRootEventId}`
    if (performance.now() - (this.#sentAt.get(conversation) ?? -Infinity) < everyMs) return
    this.#sentAt.set(conversation, performance.now())
    void this.#server.api.room.updateTypingIndicator({ roomId, threadRootEventId }).catch(() => undefined)
  }

  #remove(conversation: string, userId: string): void {
    this.#cells.get(conversation)?.update((ids) => (ids.includes(userId) ? ids.filter((id) => id !== userId) : ids))
  }
}

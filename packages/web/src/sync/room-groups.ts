import type { AdminRoomLayoutGroup } from '@parley/client/contract'
import type { administration } from '../session/administration.ts'
import { Cell } from '../state/cell.ts'

type RoomLayout = Pick<(typeof administration)['roomLayout'], 'listRoomGroups' | 'reorderRoomGroups'>

/** The groups of rooms, for users who may arrange them. */
export class RoomGroups {
  readonly groups = new Cell<readonly AdminRoomLayoutGroup[]>([])
  readonly #roomLayout: RoomLayout
  /** The groups as last confirmed by the server. */
  #confirmed: readonly AdminRoomLayoutGroup[] = []
  #loads = 0
  /** Number of the oldest load whose response may still be shown. */
  #oldestWanted = 0
  #pendingMoves = 0
  #lastMove: Promise<unknown> = Promise.resolve()

  constructor(roomLayout: RoomLayout) {
    this.#roomLayout = roomLayout
  }

  /**
   * Loads the groups. A response to an earlier call never replaces the response to a later one; during a move, all
   * responses are ignored. If the request fails, the groups are shown as the server last confirmed them.
   */
  async load(): Promise<void> {
    const load = ++this.#loads
    try {
      const { groups } = await this.#roomLayout.listRoomGroups({})
      if (this.#pendingMoves > 0 || load < this.#oldestWanted) return
      this.#oldestWanted = load
      this.#confirmed = groups
    } finally {
      if (this.#pendingMoves === 0) this.groups.set(this.#confirmed)
    }
  }

  /**
   * Moves a group up or down by one. The move is shown at once; the server receives one move after the other. After the
   * last waiting move, the groups are loaded again. Throws the error of a failed move, even if loading fails too.
   */
  async move(at: number, step: 1 | -1): Promise<void> {
    const groups = [...this.groups.value]
    groups.splice(at + step, 0, ...groups.splice(at, 1))
    this.groups.set(groups)
    const orderedGroupIds = groups.map(({ id }) => id)
    this.#pendingMoves++
    const move = this.#lastMove.then(() => this.#roomLayout.reorderRoomGroups({ orderedGroupIds }))
    this.#lastMove = move.then(
      () => (this.#confirmed = groups),
      () => undefined,
    )
    await this.#lastMove
    if (--this.#pendingMoves > 0) return void (await move)
    // Loads that began earlier may respond with the order before the move.
    this.#oldestWanted = this.#loads + 1
    await Promise.all([move, this.load()])
  }
}

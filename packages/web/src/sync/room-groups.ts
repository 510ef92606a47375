import type { AdminRoomLayoutGroup } from '@parley/client/contract'
import type { administration } from '../session/administration.ts'
import { Cell } from '../state/cell.ts'

type RoomLayout = Pick<(typeof administration)['roomLayout'], 'listRoomGroups' | 'reorderRoomGroups'>

/** The groups of rooms, for users who may arrange them. */
export class RoomGroups {
  readonly groups = new Cell<readonly AdminRoomLayoutGroup[]>([])
  readonly #roomLayout: RoomLayout
  #latestLoad = 0
  #pendingMoves = 0
  #lastMove: Promise<unknown> = Promise.resolve()

  constructor(roomLayout: RoomLayout) {
    this.#roomLayout = roomLayout
  }

  /** Loads the groups. Of overlapping calls, the last one counts; none counts during a move. */
  async load(): Promise<void> {
    const load = ++this.#latestLoad
    const { groups } = await this.#roomLayout.listRoomGroups({})
    if (load === this.#latestLoad && this.#pendingMoves === 0) this.groups.set(groups)
  }

  /** Moves a group up or down by one. The move is shown at once; the server receives one move after the other. */
  async move(at: number, step: 1 | -1): Promise<void> {
    const groups = [...this.groups.value]
    groups.splice(at + step, 0, ...groups.splice(at, 1))
    this.groups.set(groups)
    const orderedGroupIds = groups.map(({ id }) => id)
    this.#pendingMoves++
    const move = this.#lastMove.then(() => this.#roomLayout.reorderRoomGroups({ orderedGroupIds }))
    this.#lastMove = move.catch(() => undefined)
    try {
      await move
    } finally {
      if (--this.#pendingMoves === 0) await this.load()
    }
  }
}

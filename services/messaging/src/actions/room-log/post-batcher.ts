import { ConnectError } from '@connectrpc/connect'
import { isDatabaseUnavailable } from '@parley/postgres'
import { givenUp, roomBusy } from '../../errors.ts'
import type { Written } from './message.ts'

type Waiting<Item> = {
  item: Item
  signal: AbortSignal
  resolve: (seq: bigint | undefined) => void
  reject: (reason: unknown) => void
}

type Options = { atOnce?: number; mostWaiting?: number }

/**
 * Writes what is posted: at most one statement of a room is under way in this process, and what comes meanwhile goes
 * together into the next one. So a hot room holds one connection, and its row is locked by few
 * statements that carry many posts.
 */
export class PostBatcher<Item> {
  readonly #write: (roomId: string, items: readonly Item[]) => Promise<Written[]>
  readonly #atOnce: number
  readonly #mostWaiting: number
  /** Rooms that are written to, and what waits for that. */
  readonly #rooms = new Map<string, Waiting<Item>[]>()

  constructor(write: (roomId: string, items: readonly Item[]) => Promise<Written[]>, options: Options = {}) {
    this.#write = write
    this.#atOnce = options.atOnce ?? 64
    this.#mostWaiting = options.mostWaiting ?? 2_048
  }

  /** The place of the item; undefined when its key or a file is taken. Throws what keeps it from being written. */
  write(roomId: string, item: Item, signal: AbortSignal): Promise<bigint | undefined> {
    return new Promise((resolve, reject) => {
      const waiting = { item, signal, resolve, reject }
      const room = this.#rooms.get(roomId)
      if (!room) {
        this.#rooms.set(roomId, [])
        void this.#run(roomId, waiting)
      } else if (room.length >= this.#mostWaiting) reject(roomBusy())
      else room.push(waiting)
    })
  }

  async #run(roomId: string, first: Waiting<Item>): Promise<void> {
    let next: Waiting<Item>[] = [first]
    while (next.length > 0) {
      await this.#writeTogether(roomId, next)
      next = this.#rooms.get(roomId)?.splice(0, this.#atOnce) ?? []
    }
    this.#rooms.delete(roomId)
  }

  async #writeTogether(roomId: string, all: readonly Waiting<Item>[]): Promise<void> {
    const wanted = all.filter(({ signal, reject }) => {
      if (signal.aborted) reject(givenUp())
      return !signal.aborted
    })
    if (wanted.length === 0) return
    try {
      const written = await this.#write(
        roomId,
        wanted.map(({ item }) => item),
      )
      for (const [index, waiting] of wanted.entries()) settle(waiting, written[index])
    } catch (error) {
      const expected = error instanceof ConnectError || isDatabaseUnavailable(error)
      // One that cannot be written does not take the others along.
      if (wanted.length > 1 && !expected) for (const one of wanted) await this.#writeTogether(roomId, [one])
      else for (const { reject } of wanted) reject(error)
    }
  }
}

function settle<Item>({ resolve, reject }: Waiting<Item>, written: Written | undefined): void {
  if (written === 'taken') resolve(undefined)
  else if (written && 'seq' in written) resolve(written.seq)
  else reject(written ?? new Error('a written item has no outcome'))
}

import { ConnectError } from '@connectrpc/connect'
import { isDatabaseUnavailable } from '@parley/postgres'
import { givenUp, roomBusy } from '../../errors.ts'
import type { Connection } from '../../store/statement.ts'

/** What is done with a room held still. It refuses, with a ConnectError, before it writes anything. */
type Work = (on: Connection) => Promise<void>

type Waiting = { work: Work; signal: AbortSignal; resolve: () => void; reject: (reason: unknown) => void }

/** Runs with the room held still, in a transaction that is committed when this resolves. */
export type HoldStill = (roomId: string, run: Work) => Promise<void>

type Options = { atOnce?: number; mostWaiting?: number }

/**
 * Changes of a room take turns: at most one transaction of a room is under way in this process, and what comes meanwhile
 * goes together into the next one. So a hot room holds one connection, and few commits carry many changes.
 */
export class ChangeBatcher {
  readonly #holdStill: HoldStill
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #rooms = new Map<string, Waiting[]>()

  constructor(holdStill: HoldStill, { atOnce = 16, mostWaiting = 1_024 }: Options = {}) {
    this.#holdStill = holdStill
    this.#atOnce = atOnce
    this.#mostWaiting = mostWaiting
  }

  /** Resolves when the work is committed. Throws its refusal, or what kept it from being done. */
  run(roomId: string, signal: AbortSignal, work: Work): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { work, signal, resolve, reject }
      const room = this.#rooms.get(roomId)
      if (!room) {
        this.#rooms.set(roomId, [])
        void this.#run(roomId, waiting)
      } else if (room.length >= this.#mostWaiting) reject(roomBusy())
      else room.push(waiting)
    })
  }

  async #run(roomId: string, first: Waiting): Promise<void> {
    let next = [first]
    while (next.length > 0) {
      const wanted = next.filter(({ signal, reject }) => {
        if (signal.aborted) reject(givenUp())
        return !signal.aborted
      })
      await this.#together(roomId, wanted)
      next = this.#rooms.get(roomId)?.splice(0, this.#atOnce) ?? []
    }
    this.#rooms.delete(roomId)
  }

  async #together(roomId: string, all: readonly Waiting[]): Promise<void> {
    if (all.length === 0) return
    const refusals = new Map<Waiting, ConnectError>()
    try {
      await this.#holdStill(roomId, async (on) => {
        for (const waiting of all) {
          const refusal = await refusalOf(waiting.work(on))
          if (refusal) refusals.set(waiting, refusal)
        }
      })
    } catch (error) {
      // One that cannot be written does not take the others along.
      if (all.length > 1 && !isDatabaseUnavailable(error)) for (const one of all) await this.#together(roomId, [one])
      else for (const { reject } of all) reject(error)
      return
    }
    for (const waiting of all) {
      const refusal = refusals.get(waiting)
      if (refusal) waiting.reject(refusal)
      else waiting.resolve()
    }
  }
}

async function refusalOf(work: Promise<void>): Promise<ConnectError | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof ConnectError) return error
    throw error
  }
}

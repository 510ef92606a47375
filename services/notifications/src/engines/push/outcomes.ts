import type { Db } from '@parley/postgres'
import {
  deleteGoneSubscriptions,
  deletePushes,
  deleteUnseen,
  postponePushes,
  type HeldPush,
  type Postponed,
} from '../../store/push-turns.ts'

/** Collects the outcomes of pushes until they are written. */
export class Outcomes {
  readonly #db: Db
  readonly #through: bigint[] = []
  readonly #unseen: HeldPush[] = []
  readonly #gone: HeldPush[] = []
  readonly #postponed: Postponed[] = []

  constructor(db: Db) {
    this.#db = db
  }

  /** The push is finished. */
  through({ id }: HeldPush): void {
    this.#through.push(id)
  }

  /** The push was not sent and never will be, so its browser has nothing to close. */
  unseen(push: HeldPush): void {
    this.#unseen.push(push)
  }

  /** The subscription of the push no longer exists. */
  gone(push: HeldPush): void {
    this.#gone.push(push)
    this.#through.push(push.id)
  }

  /** The push will be retried; if it was never sent, no attempt is counted. */
  postpone({ id, attempts }: HeldPush, pauseMs: number, hasLeft: boolean): void {
    this.#postponed.push({ id, attempts, pauseMs, hasLeft })
  }

  /**
   * Writes the collected outcomes; on failure they are kept for the next time. Others may be added during the write.
   */
  async write(): Promise<void> {
    await written(this.#through, (ids) => deletePushes(this.#db, ids))
    await written(this.#unseen, (unseen) => deleteUnseen(this.#db, unseen))
    await written(this.#gone, (gone) => deleteGoneSubscriptions(this.#db, gone))
    await written(this.#postponed, (postponed) => postponePushes(this.#db, postponed))
  }
}

async function written<T>(waiting: T[], write: (some: T[]) => Promise<void>): Promise<void> {
  const some = [...waiting]
  await write(some)
  waiting.splice(0, some.length)
}

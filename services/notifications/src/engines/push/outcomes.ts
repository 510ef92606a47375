import type { Db } from '@parley/postgres'
import {
  deleteGoneSubscriptions,
  deletePushes,
  deleteUnsent,
  postponePushes,
  type LeasedPush,
  type Postponed,
} from '../../store/push-leases.ts'

export class Outcomes {
  readonly #db: Db
  readonly #finished: bigint[] = []
  readonly #unsent: LeasedPush[] = []
  readonly #gone: LeasedPush[] = []
  readonly #postponed: Postponed[] = []

  constructor(db: Db) {
    this.#db = db
  }

  finish({ id }: LeasedPush): void {
    this.#finished.push(id)
  }

  /** The push was never sent, so its browser needs no dismissal either. */
  finishUnsent(push: LeasedPush): void {
    this.#unsent.push(push)
  }

  finishGone(push: LeasedPush): void {
    this.#gone.push(push)
    this.#finished.push(push.id)
  }

  /** `countsAsAttempt`: the push may have been sent. */
  postpone({ id, attempts }: LeasedPush, pauseMs: number, countsAsAttempt: boolean): void {
    this.#postponed.push({ id, attempts, pauseMs, countsAsAttempt })
  }

  async write(): Promise<void> {
    await writeAll(this.#finished, (ids) => deletePushes(this.#db, ids))
    await writeAll(this.#unsent, (unsent) => deleteUnsent(this.#db, unsent))
    await writeAll(this.#gone, (gone) => deleteGoneSubscriptions(this.#db, gone))
    await writeAll(this.#postponed, (postponed) => postponePushes(this.#db, postponed))
  }
}

async function writeAll<T>(waiting: T[], write: (some: T[]) => Promise<void>): Promise<void> {
  const some = [...waiting]
  await write(some)
  waiting.splice(0, some.length)
}

import { tooBusy } from '../../errors.ts'
import type { Patience } from './fact-delivery.ts'

/** The key under which the layout is changed. */
export const layoutKey = 'layout'
/** The key under which people join all rooms of a group. */
export const groupKey = (groupId: string): string => `members of ${groupId}`

/**
 * One writer per room in this process. Those who wait for their turn hold no connection, so a crowd at one room leaves the
 * pool to the others, and the lock in the database is contended by processes alone.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs the work when all that came before under the key is done. Throws unavailable when the caller is gone by then. */
  run<T>(key: string, patience: Patience | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const turn = before.then(() => {
      if ((patience?.timeoutMs() ?? Infinity) <= 0) throw tooBusy()
      return work()
    })
    const done = turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(key) === done) this.#last.delete(key)
      })
    this.#last.set(key, done)
    return turn
  }

  /** Keys somebody works or waits under. */
  get size(): number {
    return this.#last.size
  }
}

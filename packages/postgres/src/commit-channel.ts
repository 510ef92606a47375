import type pg from 'pg'
import type { Db, Tx } from './db.ts'

type Hear<T> = (told: T) => void

const poolOf = new WeakMap<Db, pg.Pool>()
const deedsOf = new WeakMap<Db | Tx, ((pool: pg.Pool) => void)[]>()

/**
 * Notifies listeners in this process of what its own transactions wrote, once they have committed, so that a worker
 * need not poll often for rows. Writes of other processes are not announced, nor those of a process that died right
 * after its commit; listeners therefore also poll, but rarely.
 */
export class CommitChannel<T = void> {
  readonly #listeners = new WeakMap<pg.Pool, Set<Hear<T>>>()

  /** Tells the listeners of the database, after the commit of the transaction; at once outside of one. */
  tell(on: Db | Tx, told: T): void {
    const deed = (pool: pg.Pool): void => {
      for (const hear of this.#listeners.get(pool) ?? []) hear(told)
    }
    const pool = poolOf.get(on)
    if (pool) deed(pool)
    else deedsOf.get(on)?.push(deed)
  }

  /** Listens on a database until disposed. The listener must not throw. */
  listen(on: Db | pg.Pool, hear: Hear<T>): Disposable {
    const pool = 'totalCount' in on ? on : poolOf.get(on)
    if (!pool) throw new Error('this database was not opened by openDatabase')
    const listeners = this.#listeners.get(pool) ?? new Set()
    this.#listeners.set(pool, listeners.add(hear))
    return { [Symbol.dispose]: () => void listeners.delete(hear) }
  }
}

/** Connects a database with its pool, so that listeners on the pool are notified. */
export function opened(db: Db, pool: pg.Pool): void {
  poolOf.set(db, pool)
}

/** Starts collecting for a transaction; call the result after the commit to notify the listeners. */
export function begun(tx: Tx): (pool: pg.Pool) => void {
  const deeds: ((pool: pg.Pool) => void)[] = []
  deedsOf.set(tx, deeds)
  return (pool) => deeds.forEach((deed) => deed(pool))
}

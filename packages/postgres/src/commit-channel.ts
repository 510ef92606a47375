import type pg from 'pg'
import type { Db, Tx } from './db.ts'

type Hear<T> = (told: T) => void

const poolOf = new WeakMap<Db, pg.Pool>()
const deedsOf = new WeakMap<Db | Tx, ((pool: pg.Pool) => void)[]>()

/**
 * How a process hears of what its own transactions wrote, once they have committed: whoever does the work that a row asks
 * for need not look for it all the time. What another process wrote is not heard of, nor what was written by one that died
 * right after its commit: listeners look by themselves too, only rarely.
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

  /** Hears what is told of a database until disposed. Must not throw. */
  listen(on: Db | pg.Pool, hear: Hear<T>): Disposable {
    const pool = 'totalCount' in on ? on : poolOf.get(on)
    if (!pool) throw new Error('this database was not opened by openDatabase')
    const listeners = this.#listeners.get(pool) ?? new Set()
    this.#listeners.set(pool, listeners.add(hear))
    return { [Symbol.dispose]: () => void listeners.delete(hear) }
  }
}

/** A database is open: what is told on it reaches those who listen to its pool. */
export function opened(db: Db, pool: pg.Pool): void {
  poolOf.set(db, pool)
}

/** A transaction begins; the result is called when it has committed, and tells what was told meanwhile. */
export function begun(tx: Tx): (pool: pg.Pool) => void {
  const deeds: ((pool: pg.Pool) => void)[] = []
  deedsOf.set(tx, deeds)
  return (pool) => deeds.forEach((deed) => deed(pool))
}

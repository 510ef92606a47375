import type pg from 'pg'
import type { Db, Tx } from './db.ts'

type Listener<T> = (value: T) => void

const poolOf = new WeakMap<Db, pg.Pool>()
const pendingOf = new WeakMap<Db | Tx, ((pool: pg.Pool) => void)[]>()

/**
 * Notifies listeners in this process when a transaction of this process has committed, so that a worker need not poll
 * often for rows. Listeners must also poll, but rarely: commits of other processes are not announced, and a process may
 * die right after its commit.
 */
export class CommitChannel<T = void> {
  readonly #listeners = new WeakMap<pg.Pool, Set<Listener<T>>>()

  /** Notifies the listeners after the commit, or at once outside a transaction. */
  notify(on: Db | Tx, value: T): void {
    const notification = (pool: pg.Pool): void => {
      for (const listener of this.#listeners.get(pool) ?? []) listener(value)
    }
    const pool = poolOf.get(on)
    if (pool) notification(pool)
    else pendingOf.get(on)?.push(notification)
  }

  /** Listens until disposed. The listener must not throw. */
  listen(on: Db | pg.Pool, listener: Listener<T>): Disposable {
    const pool = 'totalCount' in on ? on : poolOf.get(on)
    if (!pool) throw new Error('this database was not opened by openDatabase')
    const listeners = this.#listeners.get(pool) ?? new Set()
    this.#listeners.set(pool, listeners.add(listener))
    return { [Symbol.dispose]: () => void listeners.delete(listener) }
  }
}

export function registerPool(db: Db, pool: pg.Pool): void {
  poolOf.set(db, pool)
}

/** Collects the notifications of a transaction; the returned function sends them. Call it after the commit. */
export function collectNotifications(tx: Tx): (pool: pg.Pool) => void {
  const notifications: ((pool: pg.Pool) => void)[] = []
  pendingOf.set(tx, notifications)
  return (pool) => notifications.forEach((notification) => notification(pool))
}

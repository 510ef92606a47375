import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { logger } from '@parley/telemetry'
import { collectNotifications, registerPool } from './commit-channel.ts'
import type { Db } from './db.ts'
import { leavesConnectionBroken } from './errors.ts'
import { MeasuredPool } from './measured-pool.ts'
import { preparingClient } from './preparing-client.ts'
import { assertPreparedStatementsWork } from './pooler.ts'
import { tracedClient } from './traced-client.ts'
import { typeParsers } from './values.ts'

export type DatabaseOptions = {
  url: string
  pool: number
  /** Shown by the server as application name, and in metrics. */
  name: string
  /**
   * Milliseconds after which the server cancels a statement. Default: 4000, shorter than the default deadline of a call
   * (5 s).
   */
  statementTimeoutMs?: number
  /** Milliseconds that a statement waits for an idle or new connection. Default: 2000. */
  connectTimeoutMs?: number
  /**
   * Whether to use generic plans for prepared statements (`plan_cache_mode = force_generic_plan`). Only for databases
   * in which every prepared statement looks up rows by an indexed key.
   */
  forceGenericPlans?: boolean
}

/** Disposing waits for running statements and closes the connections. */
export type Database = AsyncDisposable & {
  db: Db
  pool: pg.Pool
  /** Rejects if a query fails, or if a pooler in front of the server loses prepared statements. */
  ping(): Promise<void>
}

/**
 * Opens a pool that connects on first use. While the server is unavailable, statements fail, but the process starts and
 * keeps running; statements succeed again once the server is back. By default a statement waits at most 2 s for a
 * connection and 1 s for a lock. The server cancels it after the statement timeout; if the server hangs, the client
 * gives up a second later. JIT compilation is off: compiling takes longer than the statements.
 */
export function openDatabase(options: DatabaseOptions): Promise<Database> {
  const pool = createPool(options)
  const db: Db = drizzle({ client: pool })
  db.transaction = transactionsOf(pool)
  registerPool(db, pool)
  let preparedStatementsWork = false

  return Promise.resolve({
    db,
    pool,
    async ping() {
      await (preparedStatementsWork ? pool.query('select 1') : assertPreparedStatementsWork(pool))
      preparedStatementsWork = true
    },
    async [Symbol.asyncDispose]() {
      pool.stopReporting()
      await pool.end()
    },
  })
}

function createPool(options: DatabaseOptions): MeasuredPool {
  const log = logger('postgres')
  const statementTimeoutMs = options.statementTimeoutMs ?? 4000
  const pool = new MeasuredPool(options.name, {
    // With `forceGenericPlans`, only named statements are prepared: a generic plan may be bad for the others.
    Client: tracedClient(options.forceGenericPlans ? pg.Client : preparingClient()),
    connectionString: options.url,
    application_name: options.name,
    max: options.pool,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 2000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    lock_timeout: 1000,
    idle_in_transaction_session_timeout: 2000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 1000,
    types: typeParsers,
    options: ['-c jit=off', ...(options.forceGenericPlans ? ['-c plan_cache_mode=force_generic_plan'] : [])].join(' '),
  })
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'))
  // If a connection breaks while it is in use, its statement rejects too; this listener only keeps the process alive.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Drizzle's own transaction() leaks the connection when BEGIN fails and reuses one whose ROLLBACK failed. */
function transactionsOf(pool: pg.Pool): Db['transaction'] {
  return async (run, config) => {
    const client = await pool.connect()
    let broken = false
    let notifyCommit: ((pool: pg.Pool) => void) | undefined
    try {
      return await drizzle({ client }).transaction((tx) => {
        notifyCommit = collectNotifications(tx)
        return run(tx)
      }, config)
    } catch (error) {
      broken = leavesConnectionBroken(error)
      // If the connection broke, the transaction may have committed, so its listeners are notified.
      if (!broken) notifyCommit = undefined
      throw error
    } finally {
      client.release(broken)
      // Only after the release, so that a listener can take this connection.
      notifyCommit?.(pool)
    }
  }
}

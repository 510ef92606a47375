import pg from 'pg'

const invalidStatementName = '26000'
/** How many transactions to open at once, so that the pooler has to use other server connections. */
const transactions = 3

/**
 * Rejects if the first queries fail, or if a pooler in front of the server assigns another connection to each
 * transaction and loses prepared statements, which would then fail under load. A pooler with too few connections for
 * this check is accepted.
 */
export async function assertPreparedStatementsWork(pool: pg.Pool): Promise<void> {
  const statement = { name: 'parley_kept', text: 'select 1' }
  const client = await pool.connect()
  const held = [client]
  let mustClose = true
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // Both are the process id of the server, unless there is a pooler in between.
    mustClose = !('processID' in client && client.processID === rows[0]?.pid)
    if (!mustClose) return
    await client.query(statement)
    // A pooler that does not reserve a server connection for each client gives one of these transactions the connection
    // that has the statement.
    await beginOnOthers(pool, held).catch(() => undefined)
    const failure: unknown = await client.query(statement).catch((error: unknown) => error)
    if (!(failure instanceof pg.DatabaseError) || failure.code !== invalidStatementName) return
    const what = 'the pooler in front of PostgreSQL assigns another connection to each transaction'
    throw new Error(
      `${what} and loses prepared statements: enable them (PgBouncer from 1.21: max_prepared_statements = 200)`,
      {
        cause: failure,
      },
    )
  } finally {
    for (const client of held) client.release(mustClose)
  }
}

/** Adds the connections to `held`. Rejects if none is available in time. */
async function beginOnOthers(pool: pg.Pool, held: pg.PoolClient[]): Promise<void> {
  for (let i = Math.min(transactions, pool.options.max - 1); i > 0; i--) {
    const other = await pool.connect()
    held.push(other)
    await other.query('begin')
    await other.query('select 1')
  }
}

import type pg from 'pg'

/** Runs statements: the pool, or the connection of a transaction. */
export type Connection = Pick<pg.Pool, 'query'>

/** Starts transactions. */
export type Pool = pg.Pool

/** Defines a statement, which each connection prepares once. `Row` is the type of its rows; it is not checked. */
export function statement<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
): { text: string; run: (on: Connection, values: readonly unknown[]) => Promise<Row[]> } {
  return { text, run: async (on, values) => (await on.query<Row>({ name, text, values: [...values] })).rows }
}

/** Runs `run` in a transaction on one connection. An error rolls it back. */
export async function transaction<T>(pool: Pool, run: (on: Connection) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await run(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((reason: Error) => {
      broken = reason
    })
    throw error
  } finally {
    client.release(broken)
  }
}

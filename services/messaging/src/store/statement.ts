import type pg from 'pg'

export type Connection = Pick<pg.Pool, 'query'>

export type Pool = pg.Pool

/** Each connection prepares the statement once. `Row` is not checked. */
export function statement<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
): { text: string; run: (on: Connection, values: readonly unknown[]) => Promise<Row[]> } {
  return { text, run: async (on, values) => (await on.query<Row>({ name, text, values: [...values] })).rows }
}

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

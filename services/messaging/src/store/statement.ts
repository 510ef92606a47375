import type { Connection } from '@parley/postgres'
import type pg from 'pg'

export { statement, type Connection } from '@parley/postgres'

export type Pool = pg.Pool

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

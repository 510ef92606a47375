import pg from 'pg'
import { testInfrastructure } from './infrastructure.ts'

export type TestLock = AsyncDisposable

/** Takes an advisory lock in the run's PostgreSQL. It is released even if the process is killed. */
export async function lock(name: string): Promise<TestLock> {
  const client = await connect()
  await client.query('select pg_advisory_lock(hashtext($1))', [name])
  return { [Symbol.asyncDispose]: () => client.end() }
}

/** Takes the first free lock of those numbered 0 to `count` - 1. Throws if all are taken. */
export async function lockOneOf(name: string, count: number): Promise<TestLock & { index: number }> {
  const client = await connect()
  for (let index = 0; index < count; index++) {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock(hashtext($1), $2) as locked',
      [name, index],
    )
    if (rows[0]?.locked) return { index, [Symbol.asyncDispose]: () => client.end() }
  }
  await client.end()
  throw new Error(`all ${count} of ${name} are in use`)
}

async function connect(): Promise<pg.Client> {
  const { postgresAdminUrl } = await testInfrastructure()
  const client = new pg.Client({ connectionString: postgresAdminUrl })
  await client.connect()
  return client
}

import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { hasPgBouncer, startPgBouncer } from '@parley/tooling/pgbouncer'
import { migrateDatabase, openDatabase } from '../src/index.ts'
import { newDatabaseUrl } from './_databases.ts'

const url = newDatabaseUrl()

beforeAll(() => migrateDatabase({ url, folder: join(import.meta.dirname, 'drizzle') }))

test('without a pooler, a database answers the first ping and later ones', async () => {
  await using database = await openDatabase({ url, pool: 2, name: 'test' })
  await database.ping()
  await database.ping()
})

const withPooler = hasPgBouncer() ? test : test.skip
if (withPooler === test.skip) console.log('skipped: tests with a pooler (pgbouncer not found)')

withPooler('a pooler that drops prepared statements is reported', async () => {
  await using pooler = await startPgBouncer(url, { mode: 'transaction' })
  await using database = await openDatabase({ url: pooler.url, pool: 4, name: 'test' })
  await expect(database.ping()).rejects.toThrow(/max_prepared_statements/)
})

withPooler('a pooler that keeps a connection per client is accepted', async () => {
  await using pooler = await startPgBouncer(url, { mode: 'session' })
  await using database = await openDatabase({ url: pooler.url, pool: 4, name: 'test' })
  await database.ping()
})

withPooler('a pooler with a single connection cannot be checked, and is accepted', async () => {
  await using pooler = await startPgBouncer(url, { mode: 'transaction', connections: 1 })
  await using database = await openDatabase({ url: pooler.url, pool: 4, name: 'test', statementTimeoutMs: 500 })
  await database.ping()
})

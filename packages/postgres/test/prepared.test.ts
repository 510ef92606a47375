import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { migrateDatabase, openDatabase, sqlRows, type Database } from '../src/index.ts'
import { newDatabaseUrl } from './_databases.ts'

const url = newDatabaseUrl()
beforeAll(() => migrateDatabase({ url, folder: fileURLToPath(new URL('drizzle', import.meta.url)) }))

const open = (options: { planOnce?: true } = {}) => openDatabase({ url, pool: 1, name: 'test', ...options })

/** What the only connection has prepared. */
async function prepared({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ statement: string }>('select statement from pg_prepared_statements')
  return rows.map(({ statement }) => statement)
}

const sum = (by: number) => sql`select ${by}::integer + 1 as sum`

test('what runs again and again is prepared, in transactions too', async () => {
  await using database = await open()
  const sums = async (from: number) => [
    await sqlRows<{ sum: number }>(database.db, sum(from)),
    await database.db.transaction((tx) => sqlRows<{ sum: number }>(tx, sum(from + 1))),
  ]
  expect((await sums(1)).flat()).toEqual([{ sum: 2 }, { sum: 3 }])
  expect(await prepared(database)).toEqual([])
  expect([...(await sums(3)), ...(await sums(5))].flat()).toEqual([4, 5, 6, 7].map((sum) => ({ sum })))
  expect(await prepared(database)).toEqual(['select $1::integer + 1 as sum'])
})

test('what has no parameters, or is planned once, is not', async () => {
  await using database = await open({ planOnce: true })
  for (let i = 0; i < 5; i++) await sqlRows(database.db, sum(i))
  expect(await prepared(database)).toEqual([])
  await using other = await open()
  for (let i = 0; i < 5; i++) await sqlRows(other.db, sql`select 1`)
  expect(await prepared(other)).toEqual([])
})

test('a table whose columns change under it fails one statement at most', async () => {
  await using database = await open()
  await database.pool.query('create table numbers (id integer primary key, value integer not null)')
  await database.pool.query('insert into numbers values (1, 7)')
  const read = () =>
    database.db.transaction((tx) => sqlRows<{ value: unknown }>(tx, sql`select value from numbers where id = ${1}`))
  for (let i = 0; i < 5; i++) expect(await read()).toEqual([{ value: 7 }])
  await using migrating = await open()
  await migrating.pool.query('alter table numbers alter value type bigint')
  await expect(read()).rejects.toMatchObject({ cause: { message: 'cached plan must not change result type' } })
  expect(await read()).toEqual([{ value: 7n }])
})

import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import { bigint, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { migrateDatabase, openDatabase, preparedQuery, sqlRows, type Database } from '../src/index.ts'
import { newDatabaseUrl } from './_databases.ts'

const url = newDatabaseUrl()
beforeAll(() => migrateDatabase({ url, folder: fileURLToPath(new URL('drizzle', import.meta.url)) }))

const things = pgTable('things', {
  id: bigint({ mode: 'number' }).primaryKey(),
  name: text().notNull(),
  madeAt: timestamp('made_at', { withTimezone: true }).notNull().defaultNow(),
})

const open = (options: { forceGenericPlans?: true } = {}) => openDatabase({ url, pool: 1, name: 'test', ...options })

async function readPrepared({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ statement: string }>('select statement from pg_prepared_statements')
  return rows.map(({ statement }) => statement)
}

const sum = (by: number) => sql`select ${by}::integer + 1 as sum`

test('a query that runs repeatedly is prepared, in transactions too', async () => {
  await using database = await open()
  const querySums = async (from: number) => [
    await sqlRows<{ sum: number }>(database.db, sum(from)),
    await database.db.transaction((tx) => sqlRows<{ sum: number }>(tx, sum(from + 1))),
  ]
  expect((await querySums(1)).flat()).toEqual([{ sum: 2 }, { sum: 3 }])
  expect(await readPrepared(database)).toEqual([])
  expect([...(await querySums(3)), ...(await querySums(5))].flat()).toEqual([4, 5, 6, 7].map((sum) => ({ sum })))
  expect(await readPrepared(database)).toEqual(['select $1::integer + 1 as sum'])
})

test('a prepared query is built once for a database and once in each transaction', async () => {
  await using database = await open()
  let built = 0
  const byId = preparedQuery('things_by_id', (reader) => {
    built++
    return reader
      .select()
      .from(things)
      .where(eq(things.id, sql.placeholder('id')))
  })
  await database.db.insert(things).values([1, 2].map((id) => ({ id, name: `thing ${id}`, madeAt: new Date() })))
  for (const id of [1, 2, 1]) expect(await byId(database.db, { id })).toMatchObject([{ id }])
  expect(built).toBe(1)
  await database.db.transaction(async (tx) => {
    for (const id of [2, 1]) expect(await byId(tx, { id })).toMatchObject([{ id }])
  })
  expect(built).toBe(2)
  expect(await readPrepared(database)).toHaveLength(1)
})

test('a query without a name is not prepared if it has no parameters, or if the database uses forceGenericPlans', async () => {
  await using database = await open({ forceGenericPlans: true })
  for (let i = 0; i < 5; i++) await sqlRows(database.db, sum(i))
  expect(await readPrepared(database)).toEqual([])
  await using other = await open()
  for (let i = 0; i < 5; i++) await sqlRows(other.db, sql`select 1`)
  expect(await readPrepared(other)).toEqual([])
})

test('when the columns of a table change, at most one statement fails', async () => {
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

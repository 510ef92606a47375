import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { eventually, testDatabase, testInfrastructure } from '@parley/testkit'

const folder = fileURLToPath(new URL('./_drizzle', import.meta.url))

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

test('each database is separate and migrated', async () => {
  await using one = await testDatabase(folder)
  await using other = await testDatabase(folder)
  await query(one.url, 'insert into things values (1)')
  expect(await query(one.url, 'select * from things')).toEqual([{ id: 1 }])
  expect(await query(other.url, 'select * from things')).toEqual([])
})

test('many databases can be created at once', async () => {
  const made = await Promise.all(Array.from({ length: 6 }, () => testDatabase(folder)))
  expect(new Set(made.map(({ url }) => url)).size).toBe(6)
  await Promise.all(made.map((database) => database[Symbol.asyncDispose]()))
})

test('disposing drops the database', async () => {
  const database = await testDatabase(folder)
  const [named] = await query(database.url, 'select current_database() as name')
  await database[Symbol.asyncDispose]()
  const { postgresAdminUrl } = await testInfrastructure()
  const left = await query(postgresAdminUrl, 'select datname as name from pg_database')
  expect(named).toBeDefined()
  expect(left).not.toContainEqual(named)
})

test('a stopped database refuses connections, and has its rows after it is started again', async () => {
  await using database = await testDatabase(folder, { outages: true })
  await query(database.url, 'insert into things values (7)')
  await database.stop()
  await expect(query(database.url, 'select 1')).rejects.toThrow()
  await database.start()
  await eventually(async () => expect(await query(database.url, 'select * from things')).toEqual([{ id: 7 }]))
})

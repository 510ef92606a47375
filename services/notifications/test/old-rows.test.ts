import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { sqlRows } from '@parley/postgres'
import { openTestDatabase, testDatabase } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { deleteOldRows } from '../src/store/old-rows.ts'

test('notifications are deleted after 90 days or four days after dismissal, read markers and tombstones after four days', async () => {
  await using database = await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url)))
  await using opened = await openTestDatabase(database.url, { pool: 2 })
  const { db } = opened
  for (const [age, dismissed] of [
    [1, null],
    [89, null],
    [91, null],
    [10, 3],
    [10, 5],
  ] as const) {
    const id = `N${age}${dismissed ?? ''}`
    await db.execute(sql`insert into notifications values (${id}, 'U1', 'R1', ${id}, ${id}, 'mention', 'U2', '', '', 1, false,
      now() - ${age}::integer * interval '1 day', now() - ${dismissed}::integer * interval '1 day')`)
  }
  for (const age of [3, 5]) {
    const at = sql`now() - ${age}::integer * interval '1 day'`
    await db.execute(sql`insert into read_markers values ('U1', ${`R${age}`}, '', 1, ${at})`)
    await db.execute(sql`insert into departures values ('U1', ${`R${age}`}, 1, ${at})`)
    await db.execute(sql`insert into retractions values (${`E${age}`}, ${at})`)
  }
  await deleteOldRows(db, new AbortController().signal)
  const left = async (column: string, table: string) =>
    (await sqlRows<{ id: string }>(db, sql.raw(`select ${column} as id from ${table} order by 1`))).map(({ id }) => id)
  expect(await left('id', 'notifications')).toEqual(['N1', 'N103', 'N89'])
  expect(await left('room_id', 'read_markers')).toEqual(['R3'])
  expect(await left('room_id', 'departures')).toEqual(['R3'])
  expect(await left('event_id', 'retractions')).toEqual(['E3'])
})

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { NotificationLevel } from '@parley/contracts/api'
import type { Database } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import { explainStatements, openTestDatabase, testDatabase } from '@parley/testkit'
import type { Connection } from '../src/store/statement.ts'
import { readRoomStates, readUnread } from '../src/store/unread.ts'

const opened = new Resources()
let database: Database
const ids = Array.from({ length: 1000 }, (_, n) => `R${n + 1}`)

/**
 * Eight members of the same 1,000 channels. Ann has read them, Bob has not; both chose a level for each. The table of
 * levels was analyzed while it had one row, the other tables never.
 */
beforeAll(async () => {
  const { url } = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  // With the settings of the service, which affect plans.
  database = opened.use(await openTestDatabase(url, { pool: 1, forceGenericPlans: true }))
  const { pool } = database
  for (const table of ['room_lines', 'line_members', 'room_markers', 'notification_levels'])
    await pool.query(`alter table ${table} set (autovacuum_enabled = false)`)
  await pool.query(
    `insert into room_lines (
      room_id, version, room_seq, fact_entry, kind, group_id, universal, archived, name, participant_ids,
      last_message_seq, last_message_at
    )
    select id, 1, 5, 0, 'channel', 'G', false, false, id, '{}', 5, now() from unnest($1::text[]) id`,
    [ids],
  )
  await pool.query(
    `insert into line_members (room_id, user_id, member, version)
    select id, "user", true, 1 from unnest($1::text[]) id, unnest('{ann,bob,u3,u4,u5,u6,u7,u8}'::text[]) "user"`,
    [ids],
  )
  await pool.query(
    `insert into room_markers (room_id, user_id, seq, read_at) select id, 'ann', 5, now() from unnest($1::text[]) id`,
    [ids],
  )
  await pool.query(`insert into notification_levels (user_id, room_id, level, version) values ('ann', '', 1, 1)`)
  await pool.query('analyze notification_levels')
  await pool.query(
    `insert into notification_levels (user_id, room_id, level, version)
    select "user", id, ${NotificationLevel.NORMAL}, 1 from unnest($1::text[]) id, unnest('{ann,bob}'::text[]) "user"`,
    [ids],
  )
})
afterAll(() => opened[Symbol.asyncDispose]())

describe.each([
  ['read', 'ann'],
  ['unread', 'bob'],
])('with 1,000 %s rooms', (_state, userId) => {
  test.each<[string, (on: Connection) => Promise<unknown>]>([
    ['RoomStates', (on) => readRoomStates(on, userId, ids)],
    ['HasUnread', (on) => readUnread(on, userId)],
  ])('%s visits each row once', async (_method, read) => {
    expect((await explainStatements(database.pool, read)).rowsInLoops).toBeLessThanOrEqual(ids.length)
  })
})

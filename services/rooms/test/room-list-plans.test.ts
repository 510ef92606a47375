import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { defaultPolicy, policyFrom } from '@parley/permissions'
import { openDatabase, type Connection, type Database } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import { explainStatements, testDatabase } from '@parley/testkit'
import { showGroups } from '../src/actions/directory/show-groups.ts'
import type { Context } from '../src/context.ts'
import { findGroups } from '../src/store/groups.ts'
import { findActiveChannels, findActiveChannelsAndDms } from '../src/store/room-list.ts'

const opened = new Resources()
let database: Database

/**
 * Ann is a member of 1,000 channels, and banned from all of them; group `H` has one. No table has been analyzed yet.
 */
beforeAll(async () => {
  const { url } = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  database = opened.use(await openDatabase({ url, pool: 1, name: 'test' }))
  const { pool } = database
  for (const table of ['rooms', 'room_members', 'room_bans'])
    await pool.query(`alter table ${table} set (autovacuum_enabled = false)`)
  await pool.query(`insert into room_groups values ('G', 'G', '', 1, now()), ('H', 'H', '', 2, now())`)
  const each = `from generate_series(1, 1000) n`
  await pool.query(`
    insert into rooms (id, kind, version, name, name_key, description, group_id, universal, archived, created_at)
    select 'R' || n, 1, 1, 'r' || n, 'r' || n, '', case n when 1 then 'H' else 'G' end, false, false, now() ${each}`)
  await pool.query(`insert into room_members select 'R' || n, 'ann', true, 1, now() ${each}`)
  await pool.query(`
    insert into room_bans select 'R' || n, 'ann', 'B' || n, true, 'bob', '', now(), null, 1, now() ${each}`)
})
afterAll(() => opened[Symbol.asyncDispose]())

const returnedInLoops = async (run: (on: Connection) => Promise<unknown>) =>
  (await explainStatements(database.pool, run)).returnedInLoops

const listOfAnn = () => returnedInLoops((on) => findActiveChannelsAndDms(on, 'ann'))

test('a list of 1,000 rooms visits each row once', async () => {
  expect(await listOfAnn()).toBeLessThanOrEqual(1000)
})

describe('beside 20,000 direct messages of others', () => {
  /** Bob is in all of them. */
  beforeAll(async () => {
    const { pool } = database
    await pool.query(`
      insert into rooms (id, kind, version, name, description, universal, archived, created_at)
      select 'D' || n, 2, 1, '', '', false, false, now() from generate_series(1, 20000) n`)
    await pool.query(`
      insert into room_members select 'D' || n, "user", true, 1, now()
      from generate_series(1, 20000) n, unnest('{bob,u1,u2,u3}'::text[]) "user"`)
  })

  test('a list of 1,000 rooms visits each row once', async () => {
    expect(await listOfAnn()).toBeLessThanOrEqual(1000)
  })

  test('a group is shown without reading rooms of other groups', async () => {
    let rowsRead = 0
    const query = async (statement: string) => {
      const result = await database.pool.query(statement)
      rowsRead += result.rows.length
      return result
    }
    const ctx = {
      db: database.db,
      pool: { query },
      policy: { current: () => policyFrom(defaultPolicy()) },
      messaging: { roomStates: async () => ({ entries: [] }) },
    } as unknown as Context
    const groups = await findGroups(database.db, ['H'])
    expect(await showGroups(ctx, { userId: 'ann', roleIds: [] }, groups)).toHaveLength(1)
    expect(rowsRead).toBe(1)
  })

  test('a user may be in more rooms than PostgreSQL would keep in a hash table', async () => {
    const { pool } = database
    await pool.query('analyze')
    await pool.query(`set work_mem = '64kB'; set hash_mem_multiplier = 1`)
    expect(await returnedInLoops((on) => findActiveChannels(on, 'bob'))).toBeLessThanOrEqual(20_000)
  })
})

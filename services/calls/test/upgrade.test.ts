import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { JoinCallRequestSchema } from '@parley/contracts/api'
import { migrateDatabase } from '@parley/postgres'
import { migrationsBefore, openTestDatabase, testDatabase } from '@parley/testkit'
import { openEnv } from './_env.ts'

test('keys that the previous version stored before or after the migration are replayed; that version can delete all keys', async () => {
  const migrations = new URL('../drizzle', import.meta.url)
  using before = migrationsBefore(migrations, '0005_idempotent_calls')
  await using database = await testDatabase(before.folder)
  await using old = await openTestDatabase(database.url)
  const digest = createHash('sha256')
    .update(toBinary(JoinCallRequestSchema, create(JoinCallRequestSchema, { roomId: 'Rold' })))
    .digest()
  const store = async (key: string, joined: boolean) => {
    const { rowCount } = await old.pool.query(
      `insert into "call_keys" ("caller_id", "key", "digest", "joined", "created_at") values ('Ualice', $1, $2, $3, now())
       on conflict do nothing returning "key"`,
      [key, digest, joined],
    )
    return rowCount
  }
  expect([await store('joined', true), await store('not joined', false)]).toEqual([1, 1])
  await migrateDatabase({ url: database.url, folder: fileURLToPath(migrations) })
  expect([await store('after', true), await store('joined', true)]).toEqual([1, 0])

  await using env = await openEnv()
  await env.start({ PARLEY_CALLS_DATABASE_URL: database.url })
  const join = async (key: string) => {
    let replayed: string | null = null
    const options = {
      headers: { 'Idempotency-Key': key },
      onHeader: (headers: Headers) => void (replayed = headers.get('Idempotency-Replayed')),
    }
    const { joined } = await env.as('Ualice').joinCall({ roomId: 'Rold' }, options)
    return { joined, replayed }
  }
  expect(await join('joined')).toEqual({ joined: true, replayed: 'true' })
  expect(await join('not joined')).toEqual({ joined: false, replayed: 'true' })
  expect(await join('after')).toEqual({ joined: true, replayed: 'true' })
  env.rooms.set('Rold', ['Ualice'])
  expect(await join('new')).toEqual({ joined: true, replayed: null })

  const stored = await old.pool.query(`select "joined" from "call_keys" where "caller_id" = 'Ualice' and "key" = 'new'`)
  expect(stored.rows).toEqual([{ joined: true }])
  const erased = await old.pool.query(
    `delete from "call_keys" where ctid = any(array(select ctid from "call_keys" where "caller_id" = 'Ualice' limit 1000))`,
  )
  expect(erased.rowCount).toBe(4)
})

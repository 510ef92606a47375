import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { hasPgBouncer, openTestDatabase, startPgBouncer, testDatabase, type TestDatabase } from '@parley/testkit'
import type { Database } from '@parley/postgres'
import { databaseCheck } from '../src/database.ts'
import { findingOf, problems } from './_found.ts'

const migrations = new URL('../../../services/rooms/drizzle/', import.meta.url)
const check = databaseCheck('rooms', migrations)
const role = `doctor_${process.pid}`
let database: TestDatabase
let admin: Database
let url: URL

const envWith = (change: (changed: URL) => void = () => undefined) => {
  const changed = new URL(url)
  change(changed)
  return { PARLEY_ROOMS_DATABASE_URL: changed.href }
}
const run = (sql: string) => admin.pool.query(sql)

beforeAll(async () => {
  database = await testDatabase(migrations)
  admin = await openTestDatabase(database.url)
  await run(`create role ${role} login password 'right-password'`)
  await run(`grant usage on schema public, drizzle to ${role}`)
  await run(`grant select on all tables in schema drizzle to ${role}`)
  await run(`grant select, insert, update, delete on all tables in schema public to ${role}`)
  await run(`grant usage on all sequences in schema public to ${role}`)
  url = new URL(database.url)
  url.username = role
  url.password = 'right-password'
})
afterAll(async () => {
  await run(`drop owned by ${role}`)
  await run(`drop role ${role}`)
  await admin[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

test('a healthy database passes', async () => {
  expect(await problems(check, envWith())).toEqual([])
  expect(await findingOf(check, envWith(), 'postgres.migrations')).toMatchObject({
    result: 'ok',
    found: expect.stringMatching(/^all \d+ migrations are applied$/),
  })
})

test('a wrong password is reported, but not shown', async () => {
  const finding = await findingOf(
    check,
    envWith((one) => (one.password = 'wrong-password')),
    'postgres.reach',
  )
  expect(finding).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('password authentication failed'),
    next: expect.stringContaining('Put the password of this role into PARLEY_ROOMS_DATABASE_URL'),
  })
  expect(JSON.stringify(finding)).not.toContain('wrong-password')
})

test.each(['pa#ss', 'pa/ss', '12/34', '12?34', 'p@1#2', 'p%ffs'])(
  'a password %p that is not encoded is reported',
  async (password) => {
    const env = { PARLEY_ROOMS_DATABASE_URL: `postgres://${role}:${password}@${url.host}${url.pathname}` }
    expect(await check({ env })).toEqual([
      expect.objectContaining({ check: 'postgres.reach', result: 'fail', next: expect.stringContaining('# as %23') }),
    ])
  },
)

test('a missing database is reported with the program that creates it', async () => {
  expect(
    await findingOf(
      check,
      envWith((one) => (one.pathname = '/nowhere')),
      'postgres.reach',
    ),
  ).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('services/rooms/dist/migrate.js'),
  })
})

test('a port where nothing listens is reported', async () => {
  expect(
    await findingOf(
      check,
      envWith((one) => (one.port = '1')),
      'postgres.reach',
    ),
  ).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('start PostgreSQL'),
  })
})

test('a Unix socket that does not exist is reported', async () => {
  const nowhere = `postgres://${role}:right-password@%2Fnowhere:5432${url.pathname}`
  expect(await findingOf(check, { PARLEY_ROOMS_DATABASE_URL: nowhere }, 'postgres.reach')).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('/nowhere:5432'),
    next: expect.stringContaining('unix_socket_directories'),
  })
})

test('the check of a server that accepts connections but does not answer ends at the timeout', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const finding = await findingOf(
    check,
    envWith((one) => (one.port = String(port))),
    'postgres',
    300,
  )
  silent.close()
  expect(finding).toMatchObject({ result: 'fail', found: 'not finished within 0.3 s' })
})

test('a revoked permission is reported with the statement that restores it', async () => {
  await run(`revoke update on rooms from ${role}`)
  expect(await problems(check, envWith())).toEqual([
    {
      check: 'postgres.rights',
      result: 'fail',
      found: `the role ${role} may not read and change rooms`,
      next: expect.stringContaining(`grant select, insert, update, delete on all tables in schema public to "${role}"`),
    },
  ])
  await run(`grant update on rooms to ${role}`)
  await run(`revoke usage on schema public from ${role}, public`)
  expect(await findingOf(check, envWith(), 'postgres.rights')).toMatchObject({
    result: 'fail',
    next: expect.stringContaining(`grant usage on schema public to "${role}"`),
  })
  await run(`grant usage on schema public to ${role}`)
})

test('connections of other roles are counted too', async () => {
  const others = await Promise.all([admin.pool.connect(), admin.pool.connect(), admin.pool.connect()])
  const finding = await findingOf(check, envWith(), 'postgres.connections')
  for (const other of others) other.release()
  const [, used] = /^(\d+) of \d+ connections/.exec(finding?.found ?? '') ?? []
  // The connection of the check counts, too.
  expect(Number(used)).toBeGreaterThan(others.length)
})

test('pending migrations and migrations of a newer release are reported', async () => {
  const list = 'drizzle.__drizzle_migrations'
  await run(`create table drizzle.kept as select * from ${list} order by created_at desc limit 1`)
  await run(`delete from ${list} where id in (select id from ${list} order by created_at desc limit 1)`)
  expect(await problems(check, envWith())).toEqual([
    expect.objectContaining({
      check: 'postgres.migrations',
      result: 'fail',
      found: expect.stringMatching(/^1 of \d+ migrations are pending, the first is \d{4}_/),
      next: expect.stringContaining('Run services/rooms/dist/migrate.js'),
    }),
  ])
  await run(`insert into ${list} (hash, created_at) values ('later', 9999999999999)`)
  expect(await findingOf(check, envWith(), 'postgres.migrations')).toMatchObject({
    result: 'warn',
    next: expect.stringContaining('newer'),
  })
  await run(`delete from ${list} where hash = 'later'`)
  await run(`insert into ${list} select * from drizzle.kept`)
})

test('a wrong clock is reported', async () => {
  await run('create schema wrong')
  await run(`grant usage on schema wrong to ${role}`)
  await run(`create function wrong.clock_timestamp() returns timestamptz language sql as
    $$ select pg_catalog.clock_timestamp() + interval '90 seconds' $$`)
  await run(`alter role ${role} set search_path = wrong, public, pg_catalog`)
  expect(await findingOf(check, envWith(), 'postgres.clock')).toMatchObject({
    result: 'fail',
    found: expect.stringMatching(/^the clock of PostgreSQL is (89|90)\.\d s ahead of this machine's$/),
    next: expect.stringContaining('NTP'),
  })
  await run(`alter role ${role} reset search_path`)
})

test('read-only transactions and a superuser role are reported', async () => {
  await run(`alter role ${role} set default_transaction_read_only = on`)
  expect(await findingOf(check, envWith(), 'postgres.writable')).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('Reset default_transaction_read_only'),
  })
  await run(`alter role ${role} reset default_transaction_read_only`)
  await run(`alter role ${role} superuser`)
  expect(await problems(check, envWith())).toEqual([
    expect.objectContaining({
      check: 'postgres.role',
      result: 'warn',
      next: expect.stringContaining('a role of its own'),
    }),
  ])
  await run(`alter role ${role} nosuperuser`)
})

const withPooler = hasPgBouncer() ? test : test.skip
if (withPooler === test.skip) console.log('skipped: the check of a pooler (pgbouncer not found)')

withPooler('a pooler that drops prepared statements is reported', async () => {
  await using dropping = await startPgBouncer(url.href, { mode: 'transaction' })
  expect(await problems(check, { PARLEY_ROOMS_DATABASE_URL: dropping.url })).toEqual([
    {
      ...{ check: 'postgres.statements', result: 'fail', found: expect.stringContaining('loses prepared statements') },
      next: 'Set max_prepared_statements = 200 in PgBouncer 1.21 or newer, or connect directly.',
    },
  ])
  await using keeping = await startPgBouncer(url.href, { mode: 'session' })
  expect(await problems(check, { PARLEY_ROOMS_DATABASE_URL: keeping.url })).toEqual([])
})

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import pg from 'pg'
import { eq, sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { metricsText } from '@parley/telemetry'
import { eventually } from '@parley/tooling/eventually'
import { outageProxy } from '@parley/tooling/outage-proxy'
import {
  CommitChannel,
  deleteInBatches,
  isDatabaseUnavailable,
  isUniqueViolation,
  migrateDatabase,
  openDatabase,
  sqlRows,
  translateDatabaseError,
  type Database,
} from '../src/index.ts'
import { newDatabaseUrl } from './_databases.ts'

const folder = fileURLToPath(new URL('drizzle', import.meta.url))
const url = newDatabaseUrl()
const open = (options: { url?: string; pool?: number; statementTimeoutMs?: number } = {}) =>
  openDatabase({ url, pool: 2, name: 'test', ...options })

beforeAll(() => migrateDatabase({ url, folder }))

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('migrations', () => {
  test('create the database once, even if they are applied several times at once', async () => {
    const fresh = newDatabaseUrl()
    await Promise.all([1, 2, 3, 4].map(() => migrateDatabase({ url: fresh, folder })))
    await migrateDatabase({ url: fresh, folder })
    await using database = await open({ url: fresh })
    expect(await sqlRows(database.db, sql`select * from things`)).toEqual([])
    const applied = await sqlRows<{ count: bigint }>(
      database.db,
      sql`select count(*) from drizzle.__drizzle_migrations`,
    )
    expect(applied).toEqual([{ count: 1n }])
  })

  test('block other statements only briefly while they wait for a table, and continue once it is free', async () => {
    const fresh = newDatabaseUrl()
    await migrateDatabase({ url: fresh, folder })
    const changing = await mkdtemp(join(tmpdir(), 'parley-migrations-'))
    await cp(folder, changing, { recursive: true })
    const journal = join(changing, 'meta/_journal.json')
    const { entries, ...rest } = JSON.parse(await readFile(journal, 'utf8')) as { entries: { when: number }[] }
    const second = { idx: 1, version: '7', when: (entries[0]?.when ?? 0) + 1, tag: '0001_changed', breakpoints: true }
    await writeFile(journal, JSON.stringify({ ...rest, entries: [...entries, second] }))
    await writeFile(join(changing, '0001_changed.sql'), 'alter table things add column color text')
    await using database = await open({ url: fresh, pool: 3 })
    const isWaiting = sql`select 1 from pg_stat_activity where application_name = 'migrate'
      and wait_event_type = 'Lock' and datname = current_database()`
    let migrating: Promise<void> | undefined
    await database.db.transaction(async (reading) => {
      await reading.execute(sql`select * from things`)
      migrating = migrateDatabase({ url: fresh, folder: changing, lockTimeoutMs: 100 })
      migrating.catch(() => undefined)
      await eventually(async () => expect(await sqlRows(database.db, isWaiting)).not.toEqual([]))
      // This query waits behind the migration, which waits for the first reader of the table.
      expect(await sqlRows(database.db, sql`select * from things`)).toEqual([])
    })
    await migrating
    await database.db.execute(sql`select color from things`)
    await rm(changing, { recursive: true })
  })
})

describe('values', () => {
  const statement = sql`select 9007199254740993::int8 as large, array[1, null]::int8[] as many, '{}'::int8[] as none,
    timestamptz '2024-05-06T07:08:09.010Z' as at, '\\x0102'::bytea as bytes, null::int8 as nothing`
  const row = {
    large: 9007199254740993n,
    many: [1n, null],
    none: [],
    at: new Date('2024-05-06T07:08:09.010Z'),
    bytes: Buffer.from([1, 2]),
    nothing: null,
  }

  test('of hand-written statements are parsed', async () => {
    await using database = await open()
    expect(await sqlRows(database.db, statement)).toEqual([row])
    expect(await database.db.transaction((tx) => sqlRows(tx, statement))).toEqual([row])
  })

  test('of statements of the pool are parsed', async () => {
    await using database = await open()
    const result = await database.pool.query("select 5::int8 as number, timestamptz '2024-05-06Z' as at")
    expect(result.rows).toEqual([{ number: 5n, at: new Date('2024-05-06') }])
  })
})

describe('transactions', () => {
  test('are all or nothing', async () => {
    await using database = await open()
    const failure = await failureOf(
      database.db.transaction(async (tx) => {
        await tx.execute(sql`insert into things values (1, 'one', now())`)
        throw new Error('no')
      }),
    )
    expect(failure).toEqual(new Error('no'))
    expect(await sqlRows(database.db, sql`select from things where id = 1`)).toEqual([])
  })

  test('a unique violation is recognised by its constraint', async () => {
    await using database = await open()
    await database.db.execute(sql`insert into things values (2, 'two', now())`)
    const twice = await failureOf(
      database.db.transaction((tx) => tx.execute(sql`insert into things values (3, 'two', now())`)),
    )
    expect(isUniqueViolation(twice)).toBe(true)
    expect(isUniqueViolation(twice, 'things_name_unique')).toBe(true)
    expect(isUniqueViolation(twice, 'things_pkey')).toBe(false)
    expect(isDatabaseUnavailable(twice)).toBe(false)
    expect(translateDatabaseError(twice)).toBeUndefined()
  })
})

test('many rows are deleted in bounded steps, and only those that meet the condition', async () => {
  await using database = await open()
  const { db } = database
  await db.execute(sql`create table leaves (tree text, n int)`)
  await db.execute(sql`create table deletions (leaves int)`)
  await db.execute(sql`create function note() returns trigger language plpgsql as
    'begin insert into deletions select count(*) from old_rows; return null; end'`)
  await db.execute(
    sql`create trigger noted after delete on leaves referencing old table as old_rows execute function note()`,
  )
  await db.execute(
    sql`insert into leaves select case when n > 25 then 'oak' else 'elm' end, n from generate_series(1, 30) n`,
  )
  const leaves = pgTable('leaves', { tree: text(), n: integer() })
  expect(await deleteInBatches(db, leaves, { where: eq(leaves.tree, 'elm'), batchSize: 10 })).toBe(25)
  expect(await sqlRows(db, sql`select * from deletions`)).toEqual([10, 10, 5, 0].map((count) => ({ leaves: count })))
  expect(await db.$count(leaves)).toBe(5)
  const ended = deleteInBatches(db, leaves, { where: eq(leaves.tree, 'oak'), signal: AbortSignal.abort() })
  await expect(ended).rejects.toThrow('aborted')
  await expect(deleteInBatches(db, leaves, { where: undefined })).rejects.toThrow(TypeError)
  expect(await db.$count(leaves)).toBe(5)
})

describe('during failures,', () => {
  const expectUnavailable = (failure: unknown) => {
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(translateDatabaseError(failure)).toMatchObject({ code: Code.Unavailable })
  }

  test('a statement that takes too long is cancelled, and its connection stays usable', async () => {
    await using database = await open({ pool: 1, statementTimeoutMs: 100 })
    expectUnavailable(await failureOf(database.db.execute(sql`select pg_sleep(5)`)))
    expectUnavailable(await failureOf(database.db.transaction((tx) => tx.execute(sql`select pg_sleep(5)`))))
    await eventually(() => database.ping())
  })

  test('a statement that waits too long for a lock is cancelled', async () => {
    await using database = await open()
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('lock table things')
    expectUnavailable(await failureOf(database.db.execute(sql`select from things`)))
    await holder.end()
  })

  test('a database can be opened while the server is down; its statements fail until the server is back', async () => {
    await using proxy = await outageProxy(url)
    proxy.mode = 'refuse'
    await using database = await open({ url: proxy.url })
    expectUnavailable(await failureOf(database.ping()))
    expectUnavailable(await failureOf(database.db.transaction((tx) => tx.execute(sql`select 1`))))
    proxy.mode = 'forward'
    await eventually(() => database.ping())
  })

  test('a missing Unix socket counts as a server that is down', async () => {
    await using database = await open({ url: 'postgres://someone:secret@%2Fnowhere:5432/things' })
    expectUnavailable(await failureOf(database.ping()))
  })

  const useAll = (database: Database) =>
    Promise.all([1, 2].map(() => database.db.transaction((tx) => tx.execute(sql`select pg_sleep(0.05)`))))

  test('connections that break at the start of a transaction are discarded, not leaked', async () => {
    await using proxy = await outageProxy(url)
    await using database = await open({ url: proxy.url })
    for (let time = 0; time < 3; time++) {
      await eventually(() => useAll(database))
      proxy.mode = 'cut'
      for (const failure of await Promise.all([failureOf(useAll(database)), failureOf(useAll(database))])) {
        expectUnavailable(failure)
      }
      proxy.mode = 'forward'
      await eventually(() => useAll(database))
    }
  })

  test('connections closed by the server do not end the process', async () => {
    await using database = await open()
    await using other = await open()
    await useAll(database)
    await other.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await eventually(() => useAll(database))
  })

  test('an idle transaction is ended', async () => {
    await using database = await open()
    await using other = await open()
    const failure = await failureOf(
      database.db.transaction(async (tx) => {
        const [session] = await sqlRows<{ pid: number }>(tx, sql`select pg_backend_pid() as pid`)
        await eventually(async () => {
          const left = await other.pool.query('select from pg_stat_activity where pid = $1', [session?.pid])
          expect(left.rowCount).toBe(0)
        })
        await tx.execute(sql`select 1`)
      }),
    )
    expectUnavailable(failure)
    await eventually(() => database.ping())
  })
})

describe('the metrics of a pool', () => {
  const valueOf = async (series: string): Promise<number> =>
    Number(
      (await metricsText())
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1] ?? 0,
    )
  const ofPool = (name: string, labels = '') =>
    `db_client_connection_${name}{db_client_connection_pool_name="measured"${labels}}`

  test('show connections, waits for them and how long they are used', async () => {
    await using database = await openDatabase({ url, pool: 1, name: 'measured' })
    const { pool } = database
    const held = await pool.connect()
    expect(await valueOf(ofPool('limit'))).toBe(1)
    expect(await valueOf(ofPool('count', ',db_client_connection_state="used"'))).toBe(1)
    const waiting = pool.query('select 1')
    expect(await valueOf(ofPool('pending_requests'))).toBe(1)
    held.release()
    await waiting
    // Neither `connect` nor the first query found an idle connection.
    expect(await valueOf(ofPool('wait_time_seconds_count'))).toBe(2)
    await pool.query('select 1')
    expect(await valueOf(ofPool('wait_time_seconds_count'))).toBe(2)
    expect(await valueOf(ofPool('use_time_seconds_count'))).toBe(3)
    expect(await valueOf(ofPool('count', ',db_client_connection_state="idle"'))).toBe(1)
  })

  test('count requests that got no connection', async () => {
    await using database = await openDatabase({ url, pool: 1, name: 'measured', connectTimeoutMs: 1_000 })
    const held = await database.pool.connect()
    const before = await valueOf(ofPool('timeouts_total'))
    await Promise.all([failureOf(database.pool.query('select 1')), failureOf(database.pool.connect())])
    held.release()
    expect(await valueOf(ofPool('timeouts_total'))).toBe(before + 2)
  })
})

describe('a commit channel', () => {
  test('notifies after a commit, not after a rollback, and at once outside a transaction', async () => {
    await using database = await open()
    await using other = await open()
    const channel = new CommitChannel<string>()
    const received: string[] = []
    using _listening = channel.listen(database.db, (published) => void received.push(published))
    await database.db.transaction(async (tx) => {
      channel.notify(tx, 'committed')
      await tx.execute(sql`select 1`)
      expect(received).toEqual([])
    })
    expect(received).toEqual(['committed'])
    const failing = database.db.transaction((tx) => {
      channel.notify(tx, 'rolled back')
      return Promise.reject(new Error('no'))
    })
    await failureOf(failing)
    await other.db.transaction(async (tx) => channel.notify(tx, 'of another database'))
    channel.notify(database.db, 'at once')
    expect(received).toEqual(['committed', 'at once'])
  })

  test('calls listeners when the connection is free, and no longer after they are disposed', async () => {
    await using database = await open({ pool: 1 })
    const channel = new CommitChannel()
    let idle = 0
    {
      using _listening = channel.listen(database.pool, () => (idle = database.pool.idleCount))
      await database.db.transaction(async (tx) => channel.notify(tx))
    }
    expect(idle).toBe(1)
    idle = 0
    await database.db.transaction(async (tx) => channel.notify(tx))
    expect(idle).toBe(0)
  })
})

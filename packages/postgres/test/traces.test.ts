import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { startTelemetry, stopTelemetry, withSpan } from '@parley/telemetry'
import { OtlpReceiver } from '@parley/tooling/otlp-receiver'
import { migrateDatabase, openDatabase, type Database } from '../src/index.ts'
import { newDatabaseUrl } from './_databases.ts'

const url = newDatabaseUrl()
let database: Database
let collector: OtlpReceiver
beforeAll(async () => {
  await migrateDatabase({ url, folder: fileURLToPath(new URL('drizzle', import.meta.url)) })
  database = await openDatabase({ url, pool: 1, name: 'test' })
})
afterAll(async () => database[Symbol.asyncDispose]())
beforeEach(async () => {
  collector = await OtlpReceiver.startForThisProcess()
  await startTelemetry(process.env)
})
afterEach(() => stopTelemetry())

async function readSpans() {
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
  return collector.spans
}

test('statements are child spans of the span that sends them, without text and values', async () => {
  const { db, pool } = database
  await withSpan('work', {}, async () => {
    await db.execute(sql`insert into things values (${1}, ${'a name'}, now())`)
    await pool.query({ name: 'read_thing', text: 'select * from things where name = $1', values: ['a name'] })
    await db.transaction((tx) => tx.execute(sql`update things set name = ${'a name'}`))
  })
  const sent = await readSpans()
  const work = sent.find(({ name }) => name === 'work')
  const children = sent.filter(({ parentSpanId }) => parentSpanId === work?.spanId)
  expect(children.map(({ name }) => name)).toEqual(['INSERT things', 'read_thing', 'BEGIN', 'UPDATE things', 'COMMIT'])
  expect(children[1]).toMatchObject({ kind: 'client', isFailed: false })
  expect(children[1]?.attributes).toEqual({
    'db.system.name': 'postgresql',
    'db.namespace': new URL(url).pathname.slice(1),
    'db.operation.name': 'SELECT',
    'db.query.summary': 'read_thing',
    'db.collection.name': 'things',
  })
  expect(JSON.stringify(collector.batches)).not.toContain('a name')
})

test('the span of a failed statement has the error code, and no quoted row', async () => {
  const insert = () => database.db.execute(sql`insert into things values (7, ${'seven'}, now())`)
  await withSpan('work', {}, async () => {
    await insert()
    await expect(insert()).rejects.toThrow()
    await expect(database.pool.query('select * from nothing')).rejects.toThrow()
  })
  const failed = (await readSpans()).filter(({ isFailed }) => isFailed)
  expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(['23505', '42P01'])
  expect(JSON.stringify(collector.batches)).not.toContain('seven')
})

test('a statement that waited for a connection belongs to the trace that sent it', async () => {
  const { pool } = database
  const held = await pool.connect()
  const waiting = ['one', 'other'].map((name) => withSpan(name, {}, () => pool.query(`select '${name}' from things`)))
  held.release()
  await Promise.all(waiting)
  const sent = await readSpans()
  for (const name of ['one', 'other']) {
    const own = sent.find((span) => span.name === name)
    const children = sent.filter(({ parentSpanId }) => parentSpanId === own?.spanId)
    expect(children.map((child) => [child.name, child.traceId])).toEqual([['SELECT things', own?.traceId]])
  }
})

test('statements outside a trace are not recorded', async () => {
  await database.pool.query('select 1')
  expect(await readSpans()).toEqual([])
})

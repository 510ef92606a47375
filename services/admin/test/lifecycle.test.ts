import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import pg from 'pg'
import { readiness, testAdmin, type TestAdmin } from './_admin.ts'

let admin: TestAdmin

beforeEach(async () => {
  admin = await testAdmin()
})

afterEach(() => admin[Symbol.asyncDispose]())

test('a process that is up is ready', async () => {
  const { internalPort } = await admin.start()
  expect(await readiness(internalPort)).toEqual({ status: 200, body: { status: 'ready' } })
})

test('a database that goes away costs answers, not readiness, and needs no restart', async () => {
  const { internalPort } = await admin.start()
  await admin.database.stop()
  await expect(admin.anonymous.discovery.getServer({})).rejects.toMatchObject({ code: Code.Unavailable })
  expect(await readiness(internalPort)).toMatchObject({ status: 200 })
  await admin.database.start()
  await eventually(async () => expect(await admin.anonymous.discovery.getServer({})).toBeDefined())
})

test('a start waits for the database', async () => {
  await admin.database.stop()
  const starting = admin.start()
  await admin.database.start()
  const { internalPort } = await starting
  expect(await readiness(internalPort)).toMatchObject({ status: 200 })
  expect((await admin.anonymous.internal.getPolicy({})).revision).toBe(1n)
})

test('a start that is called off ends', async () => {
  await admin.database.stop()
  const stop = new AbortController()
  const starting = admin.start({}, stop.signal)
  stop.abort(new Error('called off'))
  await expect(starting).rejects.toThrow('called off')
})

test('a process that drains finishes what it has, while it is not ready and others answer', async () => {
  const first = await admin.start()
  const client = new pg.Client({ connectionString: admin.database.url })
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select * from policy_state for update')
    const denial = admin.anonymous.internal.denyPosting({ roomId: 'R1' })
    await eventually(async () => {
      const waiting = await client.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`)
      expect(waiting.rowCount).toBe(1)
    })
    const closing = first[Symbol.asyncDispose]()
    await eventually(async () => expect(await readiness(first.internalPort)).toMatchObject({ status: 503 }))
    await client.query('commit')
    expect((await denial).revision).toBe(2n)
    await closing
    await expect(fetch(`http://127.0.0.1:${first.internalPort}/healthz`)).rejects.toThrow()
  } finally {
    await client.end()
  }
})

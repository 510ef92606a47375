import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { declareStreams } from '@parley/events'
import { eventually } from '@parley/testkit'
import { freeze } from '@parley/tooling/freeze'
import { readiness, testAdmin, type TestAdmin } from './_admin.ts'

let admin: TestAdmin

beforeEach(async () => {
  admin = await testAdmin({ outages: true })
})

afterEach(() => admin[Symbol.asyncDispose]())

test('a started process is ready', async () => {
  const { internalPort } = await admin.start()
  expect(await readiness(internalPort)).toEqual({ status: 200, body: { status: 'ready' } })
})

test('the stream is configured as far as NATS allows, and missing replicas are reported', async () => {
  await declareStreams(admin.bus)
  await admin.start({ PARLEY_NATS_STREAM_REPLICAS: '3', PARLEY_NATS_STREAM_MAX_BYTES: '64 MiB' })
  await eventually(async () => {
    const { systemInfo } = await admin.owner.diagnostics.getSystemInfo({})
    expect(systemInfo?.nats?.streams).toMatchObject([
      // There is only one server.
      { replicas: 1, replicasWanted: 3, maxBytes: BigInt(64 * 1024 ** 2) },
    ])
  })
})

test('after a database outage the process needs no restart', async () => {
  const { internalPort } = await admin.start()
  await admin.database.stop()
  await expect(admin.anonymous.discovery.getServer({})).rejects.toMatchObject({ code: Code.Unavailable })
  expect(await readiness(internalPort)).toMatchObject({ status: 200 })
  await admin.database.start()
  await eventually(async () => expect(await admin.anonymous.discovery.getServer({})).toBeDefined())
})

test('a frozen NATS is reported, and the process stays ready', async () => {
  const { internalPort } = await admin.start()
  const status = async () =>
    (await (await fetch(`http://127.0.0.1:${internalPort}/status`)).json()) as { ready: boolean; outages: string[] }
  await eventually(async () => expect(await status()).toMatchObject({ ready: true, outages: [] }))
  const pid = admin.nats.pid()
  if (pid === undefined) throw new Error('this test needs a NATS server of its own')
  {
    using _frozen = freeze(pid)
    await eventually(async () => expect(await status()).toMatchObject({ ready: true, outages: ['bus: no answer'] }))
    expect(await readiness(internalPort)).toMatchObject({ status: 200 })
  }
  await eventually(async () => expect(await status()).toMatchObject({ ready: true, outages: [] }))
})

test('a start waits for the database', async () => {
  await admin.database.stop()
  const starting = admin.start()
  await admin.database.start()
  const { internalPort } = await starting
  expect(await readiness(internalPort)).toMatchObject({ status: 200 })
  expect((await admin.anonymous.internal.getPolicy({})).revision).toBe(1n)
})

test('a start can be aborted', async () => {
  await admin.database.stop()
  const stop = new AbortController()
  const starting = admin.start({}, { stop: stop.signal })
  stop.abort(new Error('called off'))
  await expect(starting).rejects.toThrow('called off')
})

/** A call that stores a decision waits while the table `held` has a row. */
const heldDecisions = `
  create table held as select 1;
  create function wait_for_release() returns trigger language plpgsql as
    $$ begin while exists (select from held) loop perform pg_sleep(0.05); end loop; return new; end $$;
  create trigger slow before insert on permission_decisions for each row execute function wait_for_release()`

test('a draining process is not ready and finishes running calls', async () => {
  const first = await admin.start()
  await admin.pool.query(heldDecisions)
  const denial = admin.anonymous.internal.denyPosting({ roomId: 'R1' })
  await eventually(async () => {
    const running = await admin.pool.query(
      `select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
    )
    expect(running.rowCount).toBe(1)
  })
  const closing = first[Symbol.asyncDispose]()
  expect(await readiness(first.internalPort)).toMatchObject({ status: 503, body: { reasons: ['draining'] } })
  await admin.pool.query('delete from held')
  expect((await denial).revision).toBeGreaterThan(1n)
  await closing
  await expect(readiness(first.internalPort)).rejects.toThrow()
})

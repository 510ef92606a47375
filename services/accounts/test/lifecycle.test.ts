import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { callersOf, codeOf, makeUser, openEnv, password, signIn, type Env } from './_env.ts'

let env: Env

beforeEach(async () => {
  env = await openEnv({ outages: true })
})

afterEach(async () => env[Symbol.asyncDispose]())

async function readiness(port: number): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`)
  return { status: response.status, body: await response.json() }
}

test('after a database outage the process needs no restart', async () => {
  const { internalPort } = await env.start()
  await makeUser(env, 'anna')
  const { digests } = await signIn(env, 'anna')
  await env.database.stop()
  expect(await codeOf(signIn(env, 'anna'))).toBe(Code.Unavailable)
  expect(await codeOf(callersOf(env, digests))).toBe(Code.Unavailable)
  expect(await codeOf(env.operator.grantRole({ login: 'anna', roleName: 'admin' }))).toBe(Code.Unavailable)
  expect(await readiness(internalPort)).toEqual({ status: 200, body: { status: 'ready' } })
  await env.database.start()
  await eventually(async () => expect((await callersOf(env, digests)).size).toBe(2))
  expect(await codeOf(signIn(env, 'anna'))).toBeUndefined()
})

test('after an outage of the bus the process needs no restart', async () => {
  await env.start()
  await makeUser(env, 'anna')
  await env.nats.stop()
  expect(await codeOf(signIn(env, 'anna'))).toBe(Code.Unavailable)
  await env.nats.start()
  await eventually(async () => expect(await codeOf(signIn(env, 'anna'))).toBeUndefined())
  await eventually(async () =>
    expect(await codeOf(env.operator.grantRole({ login: 'anna', roleName: 'admin' }))).toBeUndefined(),
  )
})

test('a start waits for the database and the bus', async () => {
  await env.database.stop()
  await env.nats.stop()
  const starting = env.start()
  await env.database.start()
  await env.nats.start()
  const { internalPort } = await starting
  expect(await readiness(internalPort)).toMatchObject({ status: 200 })
})

test('a start can be aborted', async () => {
  for (const missing of [env.database, env.nats]) {
    await missing.stop()
    const stop = new AbortController()
    const starting = env.start({}, { stop: stop.signal })
    stop.abort(new Error('called off'))
    await expect(starting).rejects.toThrow('called off')
    await missing.start()
  }
})

/** Makes sign-ins wait until the table `held` is empty, so that a call is running when the process is stopped. */
const delaySignIns = sql`
  create table held as select 1;
  create function wait_for_release() returns trigger language plpgsql as
    $$ begin while exists (select from held) loop perform pg_sleep(0.05); end loop; return new; end $$;
  create trigger slow before insert on credentials for each statement execute function wait_for_release()`

test('a draining process finishes running calls and is not ready', async () => {
  const process = await env.start()
  await makeUser(env, 'anna')
  await env.db.execute(delaySignIns)
  const session = env.internal.passwordLogin({ identifier: 'anna', password })
  await eventually(async () => {
    const running = await env.db.execute(
      sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
    )
    expect(running.rowCount).toBe(1)
  })
  const closing = process[Symbol.asyncDispose]()
  expect(await readiness(process.internalPort)).toMatchObject({ status: 503, body: { reasons: ['draining'] } })
  await env.db.execute(sql`delete from held`)
  expect((await session).login).toBe('anna')
  await closing
  await expect(readiness(process.internalPort)).rejects.toThrow()
})

test('the event of a failed sign-in is written before the process ends', async () => {
  const process = await env.start()
  await makeUser(env, 'anna')
  expect(await codeOf(signIn(env, 'anna', 'wrong password'))).toBe(Code.Unauthenticated)
  await process[Symbol.asyncDispose]()
  const events = await env.db.execute(sql`select 1 from outbox where subject like '%login_failed'`)
  expect(events.rowCount).toBe(1)
})

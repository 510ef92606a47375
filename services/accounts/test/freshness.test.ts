import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { openRedis, rateLimiter, type RateLimiter, type RedisClient } from '@parley/redis'
import { eventually } from '@parley/testkit'
import { eq, sql } from 'drizzle-orm'
import { assertFresh } from '../src/actions/credentials/freshness.ts'
import { deleteExpired } from '../src/jobs/delete-expired.ts'
import { createPasswords, type Passwords } from '../src/engines/passwords/passwords.ts'
import { issueFlowToken, peekFlowToken, takeFlowToken } from '../src/store/flow-tokens.ts'
import { credentials } from '../src/store/schema.ts'
import { callersOf, codeOf, makeUser, useEnv, password, secretKey, signIn } from './_env.ts'

const minute = 60_000
const env = useEnv()
let passwords: Passwords
let redis: RedisClient
let passwordGuesses: RateLimiter
let now = Date.now()

beforeAll(async () => {
  passwords = await createPasswords(2)
  redis = env.use(openRedis({ url: env.redis.url, name: 'test' }))
  // Until Redis is connected, the limiter would count in memory.
  await eventually(() => redis.status === 'ready')
  passwordGuesses = rateLimiter({ redis, key: 'test', points: 3, durationSeconds: 60 })
  await env.start({}, { now: () => new Date(now) })
})
afterEach(() => {
  now = Date.now()
})

async function createCallers(login: string) {
  await makeUser(env, login)
  const { digests } = await signIn(env, login)
  return [...(await callersOf(env, digests)).values()].flatMap((caller) => (caller ? [caller] : []))
}
async function createCaller(login: string) {
  const [caller] = await createCallers(login)
  if (!caller) throw new Error('the sign-in created no credential')
  return caller
}
const check = (caller: { userId: string; credentialId: string }, current?: string) =>
  codeOf(assertFresh({ db: env.db, passwords, passwordGuesses, now: () => new Date(now) }, caller, current))

describe('a credential', () => {
  test('stays fresh for half an hour after the sign-in', async () => {
    const caller = await createCaller('anna')
    now += 30 * minute - 1_000
    expect(await check(caller)).toBeUndefined()
    now += 1_000
    expect(await check(caller)).toBe(Code.FailedPrecondition)
  })

  test('that is fresh does not let a wrong password pass', async () => {
    const caller = await createCaller('gina')
    expect(await check(caller, 'a wrong password')).toBe(Code.InvalidArgument)
    expect(await check(caller)).toBeUndefined()
    expect(await check(caller, password)).toBeUndefined()
  })

  test('becomes fresh with the current password; the other credential of the session does not', async () => {
    const [bearer, cookie] = await createCallers('bert')
    if (!bearer || !cookie) throw new Error('two credentials are needed')
    now += 31 * minute
    expect(await check(bearer, 'a wrong password')).toBe(Code.InvalidArgument)
    expect(await check(bearer)).toBe(Code.FailedPrecondition)
    expect(await check(bearer, password)).toBeUndefined()
    now += 29 * minute
    expect(await check(bearer)).toBeUndefined()
    expect(await check(cookie)).toBe(Code.FailedPrecondition)
  })

  test('cannot be made fresh by guessing, which locks out only this credential', async () => {
    const [one, other] = await createCallers('frida')
    if (!one || !other) throw new Error('two credentials are needed')
    for (let i = 0; i < 5; i++) {
      now += 31 * minute
      expect(await check(other, password)).toBeUndefined()
    }
    for (let i = 0; i < 3; i++) expect(await check(one, 'a wrong password')).toBe(Code.InvalidArgument)
    expect(await check(one, password)).toBe(Code.ResourceExhausted)
    now += 31 * minute
    expect(await check(other, password)).toBeUndefined()
  })

  test('of another web client is never fresh', async () => {
    const caller = await createCaller('cleo')
    await env.db.update(credentials).set({ freshUntil: null }).where(eq(credentials.id, caller.credentialId))
    expect(await check(caller, password)).toBe(Code.FailedPrecondition)
    expect(await check(caller, 'a wrong password')).toBe(Code.FailedPrecondition)
  })

  test('that has ended, or belongs to another user, is never fresh', async () => {
    const [caller, other] = [await createCaller('dora'), await createCaller('emil')]
    expect(await check({ ...caller, credentialId: other.credentialId })).toBe(Code.Unauthenticated)
    await env.operator.setPassword({ login: 'dora', password })
    expect(await check(caller)).toBe(Code.Unauthenticated)
    expect(await check(caller, password)).toBe(Code.Unauthenticated)
  })
})

describe('a flow token', () => {
  const tokenContext = () => ({ secretKey, at: new Date(now) })
  const issue = (ttlMs = minute) =>
    issueFlowToken(env.db, tokenContext(), { purpose: 'link_start', payload: { a: 1 }, ttlMs })
  const take = (token: string) => env.db.transaction((tx) => takeFlowToken(tx, tokenContext(), 'link_start', token))

  test('is valid for one purpose, once', async () => {
    const token = await issue()
    expect(await peekFlowToken(env.db, tokenContext(), 'account_deletion', token)).toBeUndefined()
    expect(await peekFlowToken(env.db, tokenContext(), 'link_start', token)).toMatchObject({ payload: { a: 1 } })
    const taken = await Promise.all([take(token), take(token), take(token)])
    expect(taken.filter(Boolean)).toMatchObject([{ payload: { a: 1 } }])
    expect(await peekFlowToken(env.db, tokenContext(), 'link_start', token)).toBeUndefined()
  })

  test('is invalid once it has expired', async () => {
    const token = await issue()
    now += minute
    expect(await peekFlowToken(env.db, tokenContext(), 'link_start', token)).toBeUndefined()
    expect(await take(token)).toBeUndefined()
  })

  test('is stored only as a digest', async () => {
    const token = await issue()
    const { rows } = await env.db.execute(sql`select digest::text as digest, payload::text as payload from flow_tokens`)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'))
  })
})

test('the job deletes only expired flow tokens, e-mail codes and sign-ins at providers', async () => {
  const count = async () => {
    const { rows } = await env.db.execute(sql`
      select (select count(*) from flow_tokens)::int as tokens, (select count(*) from email_codes)::int as codes,
             (select count(*) from provider_logins)::int as logins`)
    return rows[0]
  }
  await env.db.execute(sql`delete from flow_tokens`)
  const at = new Date(now).toISOString()
  const [soon, late] = [sql`${at}::timestamptz + interval '1 minute'`, sql`${at}::timestamptz + interval '1 hour'`]
  for (const [name, ends] of [
    ['a', soon],
    ['b', late],
  ] as const) {
    const digest = Buffer.alloc(32, name)
    await env.db.execute(sql`
      insert into flow_tokens (digest, purpose, user_id, payload, created_at, expires_at)
      values (${digest}, 'link_start', '', '{}', now(), ${ends})`)
    await env.db.execute(sql`
      insert into email_codes (purpose, email_key, code_digest, expires_at, window_from)
      values ('registration', ${name}, ${digest}, ${ends}, now())`)
    await env.db.execute(sql`
      insert into provider_logins (state_digest, browser_digest, provider_id, nonce, code_verifier, redirect_path, expires_at)
      values (${digest}, ${digest}, 'p', 'n', 'v', '/', ${ends})`)
  }
  const clean = () => deleteExpired({ db: env.db, now: () => new Date(now) }, AbortSignal.timeout(60_000))
  await clean()
  expect(await count()).toEqual({ tokens: 2, codes: 2, logins: 2 })
  now += 2 * minute
  await clean()
  expect(await count()).toEqual({ tokens: 1, codes: 1, logins: 1 })
})

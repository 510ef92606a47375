import { Code } from '@connectrpc/connect'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { credentialDigest } from '@parley/credentials'
import { MyAccountService } from '@parley/contracts/api'
import { sql } from 'drizzle-orm'
import { callersOf, codeOf, makeUser, openEnv, password, type Env } from './_env.ts'
import { recorded, type Recorded } from './_recorded.ts'

let env: Env
let events: Recorded
let now: Date

beforeAll(async () => {
  env = await openEnv()
  now = new Date()
  await env.start({}, { now: () => now })
  events = env.use(await recorded(env))
})

afterAll(async () => env[Symbol.asyncDispose]())

/** Signs in with a program of this name; returns its account and the new session. */
async function signedIn(login: string, userAgent: string, cookieOnly = false) {
  const session = await env.internal.passwordLogin({ identifier: login, password, userAgent, cookieOnly })
  const secrets = [session.token, session.cookieHandle].filter((secret) => secret !== '')
  const digests = secrets.map((secret) => credentialDigest(env.secretKey, secret))
  const [caller] = (await callersOf(env, digests)).values()
  const who = { userId: session.userId, roleIds: [], credentialId: caller?.credentialId ?? '' }
  const holds = async () => (await callersOf(env, digests)).size
  return { session, account: env.as(MyAccountService, who), holds }
}

const namesOf = (sessions: { userAgent: string; current: boolean }[]) =>
  sessions.map(({ userAgent, current }) => (current ? `${userAgent} (this)` : userAgent))

test('one sign-in creates one session, with the name of its program', async () => {
  await makeUser(env, 'anna')
  const browser = await signedIn('anna', 'Browser\u202E/1', true)
  expect(browser.session.token).toBe('')
  now = new Date(now.getTime() + 60_000)
  const program = await signedIn('anna', 'Program/2')
  const { sessions } = await program.account.listMySessions({})
  expect(namesOf(sessions)).toEqual(['Program/2 (this)', 'Browser/1'])
  expect(namesOf((await browser.account.listMySessions({})).sessions)).toEqual(['Program/2', 'Browser/1 (this)'])
  const [newest] = sessions
  expect(newest?.createdAt && timestampDate(newest.createdAt)).toEqual(now)
  expect(newest?.lastUsedAt && timestampDate(newest.lastUsedAt)).toEqual(now)
  expect(newest?.expiresAt && timestampDate(newest.expiresAt).getTime()).toBeGreaterThan(now.getTime())
})

test('a session is ended with all its credentials; repeats and sessions of others have no effect', async () => {
  const userId = await makeUser(env, 'bert')
  await makeUser(env, 'carl')
  const [here, there, foreign] = [
    await signedIn('bert', 'here'),
    await signedIn('bert', 'there'),
    await signedIn('carl', 'foreign'),
  ]
  const idOf = async (name: string, who = here) =>
    (await who.account.listMySessions({})).sessions.find(({ userAgent }) => userAgent === name)?.id ?? ''
  const id = await idOf('there')
  expect(await here.account.endMySession({ sessionId: id })).toMatchObject({ ended: 1 })
  expect(await there.holds()).toBe(0)
  expect(await here.holds()).toBe(2)
  expect(await here.account.endMySession({ sessionId: id })).toMatchObject({ ended: 0 })
  expect(await here.account.endMySession({ sessionId: await idOf('foreign', foreign) })).toMatchObject({ ended: 0 })
  expect(await foreign.holds()).toBe(2)
  const kinds = await events.kindsOf(userId, 'credentials_ended')
  expect(kinds.filter((kind) => kind === 'session_revoked')).toHaveLength(2)
  expect(events.of(userId).find(({ kind }) => kind === 'credentials_ended')?.fact).toMatchObject({
    value: { all: false, reason: 'session_revoked' },
  })
})

test('all other sessions can be ended, including those from before sessions had ids', async () => {
  await makeUser(env, 'dora')
  const old = await signedIn('dora', 'old')
  await env.db.execute(sql`update credentials set session_id = null, user_agent = null where user_agent = 'old'`)
  const other = await signedIn('dora', 'other')
  const here = await signedIn('dora', 'here')
  expect(await here.account.endMySession({ allOthers: true })).toMatchObject({ ended: 3 })
  expect([await old.holds(), await other.holds(), await here.holds()]).toEqual([0, 0, 2])
  expect(namesOf((await here.account.listMySessions({})).sessions)).toEqual(['here (this)'])
})

test('a request must name one session or all others', async () => {
  await makeUser(env, 'emil')
  const { account } = await signedIn('emil', 'here')
  expect(await codeOf(account.endMySession({}))).toBe(Code.InvalidArgument)
  expect(await codeOf(account.endMySession({ sessionId: 'S1', allOthers: true }))).toBe(Code.InvalidArgument)
})

import { Code } from '@connectrpc/connect'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { beforeAll, expect, test } from '@jest/globals'
import { credentialDigest } from '@parley/credentials'
import { MyAccountService } from '@parley/contracts/api'
import { sql } from 'drizzle-orm'
import { callersOf, codeOf, makeUser, useEnv, password } from './_env.ts'
import { recordUserEvents, type UserEvents } from './_user-events.ts'

const env = useEnv()
let events: UserEvents
let now: Date

beforeAll(async () => {
  now = new Date()
  await env.start({}, { now: () => now })
  events = env.use(await recordUserEvents(env))
})

/** Returns the session, a client that uses it, and a count of its valid credentials. */
async function signInWith(login: string, userAgent: string, cookieOnly = false) {
  const session = await env.internal.passwordLogin({ identifier: login, password, userAgent, cookieOnly })
  const secrets = [session.token, session.cookieHandle].filter((secret) => secret !== '')
  const digests = secrets.map((secret) => credentialDigest(env.secretKey(), secret))
  const [caller] = (await callersOf(env, digests)).values()
  const who = { userId: session.userId, roleIds: [], credentialId: caller?.credentialId ?? '' }
  const validCredentialCount = async () => (await callersOf(env, digests)).size
  return { session, account: env.as(MyAccountService, who), validCredentialCount }
}

const userAgentsOf = (sessions: { userAgent: string; current: boolean }[]) =>
  sessions.map(({ userAgent, current }) => (current ? `${userAgent} (this)` : userAgent))

test('one sign-in creates one session, which records its user agent', async () => {
  await makeUser(env, 'anna')
  const browser = await signInWith('anna', 'Browser\u202E/1', true)
  expect(browser.session.token).toBe('')
  now = new Date(now.getTime() + 60_000)
  const program = await signInWith('anna', 'Program/2')
  const { sessions } = await program.account.listMySessions({})
  expect(userAgentsOf(sessions)).toEqual(['Program/2 (this)', 'Browser/1'])
  expect(userAgentsOf((await browser.account.listMySessions({})).sessions)).toEqual(['Program/2', 'Browser/1 (this)'])
  const [newest] = sessions
  expect(newest?.createdAt && timestampDate(newest.createdAt)).toEqual(now)
  expect(newest?.lastUsedAt && timestampDate(newest.lastUsedAt)).toEqual(now)
  expect(newest?.expiresAt && timestampDate(newest.expiresAt).getTime()).toBeGreaterThan(now.getTime())
})

test('ending a session ends all its credentials, and no other user’s', async () => {
  const userId = await makeUser(env, 'bert')
  await makeUser(env, 'carl')
  const [here, there, foreign] = [
    await signInWith('bert', 'here'),
    await signInWith('bert', 'there'),
    await signInWith('carl', 'foreign'),
  ]
  const idOf = async (name: string, who = here) =>
    (await who.account.listMySessions({})).sessions.find(({ userAgent }) => userAgent === name)?.id ?? ''
  const id = await idOf('there')
  expect(await here.account.endMySession({ sessionId: id })).toMatchObject({ ended: 1 })
  expect(await there.validCredentialCount()).toBe(0)
  expect(await here.validCredentialCount()).toBe(2)
  expect(await here.account.endMySession({ sessionId: id })).toMatchObject({ ended: 0 })
  expect(await here.account.endMySession({ sessionId: await idOf('foreign', foreign) })).toMatchObject({ ended: 0 })
  expect(await foreign.validCredentialCount()).toBe(2)
  const kinds = await events.waitFor(userId, 'credentials_ended')
  expect(kinds.filter((kind) => kind === 'session_revoked')).toHaveLength(2)
  expect(events.of(userId).find(({ kind }) => kind === 'credentials_ended')?.fact).toMatchObject({
    value: { all: false, reason: 'session_revoked' },
  })
})

test('all other sessions can be ended, even those without ids', async () => {
  await makeUser(env, 'dora')
  const old = await signInWith('dora', 'old')
  await env.db.execute(sql`update credentials set session_id = null, user_agent = null where user_agent = 'old'`)
  const other = await signInWith('dora', 'other')
  const here = await signInWith('dora', 'here')
  expect(await here.account.endMySession({ allOthers: true })).toMatchObject({ ended: 3 })
  expect([
    await old.validCredentialCount(),
    await other.validCredentialCount(),
    await here.validCredentialCount(),
  ]).toEqual([0, 0, 2])
  expect(userAgentsOf((await here.account.listMySessions({})).sessions)).toEqual(['here (this)'])
})

test('EndMySession needs either a session id or all_others', async () => {
  await makeUser(env, 'emil')
  const { account } = await signInWith('emil', 'here')
  expect(await codeOf(account.endMySession({}))).toBe(Code.InvalidArgument)
  expect(await codeOf(account.endMySession({ sessionId: 'S1', allOthers: true }))).toBe(Code.InvalidArgument)
})

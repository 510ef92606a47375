import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { MyAccountService } from '@parley/contracts/api'
import { eventually, recordEvents, type TestCaller } from '@parley/testkit'
import { eq, sql } from 'drizzle-orm'
import { issueFlowToken, peekFlowToken } from '../src/store/flow-tokens.ts'
import { credentials, users } from '../src/store/schema.ts'
import { callerOf, callersOf, codeOf, makeUser, useEnv, password, secretKey, signIn } from './_env.ts'

const minute = 60_000
const newPassword = 'another long enough secret'
const env = useEnv()
let now = Date.now()

beforeAll(() => env.start({}, { now: () => new Date(now) }))
afterEach(() => {
  now = Date.now()
})

const update = (who: TestCaller, change: { password: string; currentPassword?: string }) =>
  env.as(MyAccountService, who).updatePassword(change)

describe('changing a password', () => {
  test('ends every credential before the response, and announces it', async () => {
    const userId = await makeUser(env, 'anna')
    const other = await signIn(env, 'anna')
    const who = await callerOf(env, 'anna')
    await using recording = await recordEvents(env.bus, `evt.>`)
    const { user } = await update(who, { password: newPassword, currentPassword: password })
    expect(user).toMatchObject({ id: userId, login: 'anna' })
    expect((await callersOf(env, other.digests)).size).toBe(0)
    expect(await codeOf(signIn(env, 'anna'))).toBe(Code.Unauthenticated)
    expect((await signIn(env, 'anna', newPassword)).session.userId).toBe(userId)
    await eventually(() => expect(recording.events.map(({ kind }) => kind)).toContain('credentials_ended'))
    const ended = recording.events.find(({ kind }) => kind === 'credentials_ended')
    expect(ended?.fact.value).toMatchObject({ all: true, reason: 'password_changed' })
    await eventually(() => expect(recording.events.map(({ kind }) => kind)).toContain('user_password_hash_changed'))
  })

  test('needs the current password', async () => {
    await makeUser(env, 'bert')
    const who = await callerOf(env, 'bert')
    expect(await codeOf(update(who, { password: newPassword }))).toBe(Code.InvalidArgument)
    expect(await codeOf(update(who, { password: newPassword, currentPassword: 'a wrong one' }))).toBe(
      Code.InvalidArgument,
    )
    expect((await signIn(env, 'bert')).session.userId).toBe(who.userId)
  })

  test('counts wrong passwords of other web clients’ tokens together, and separately from sessions', async () => {
    await makeUser(env, 'hans')
    const codes: (Code | undefined)[] = []
    for (let n = 0; n < 11; n++) {
      const token = await callerOf(env, 'hans')
      const mine = eq(credentials.id, token.credentialId ?? '')
      await env.db.update(credentials).set({ freshUntil: null }).where(mine)
      codes.push(await codeOf(update(token, { password: newPassword, currentPassword: 'a guess' })))
    }
    expect(codes).toEqual([...Array.from({ length: 10 }, () => Code.InvalidArgument), Code.ResourceExhausted])
    const own = await callerOf(env, 'hans')
    expect(await codeOf(update(own, { password: newPassword, currentPassword: password }))).toBeUndefined()
  })

  test('invalidates links sent before or issued concurrently', async () => {
    const userId = await makeUser(env, 'cleo')
    const tokenContext = { secretKey, at: new Date(now) }
    const flow = {
      ...{ purpose: 'password_reset' as const, payload: {}, ttlMs: minute },
      user: { id: userId, authGeneration: 0 },
    }
    const token = await issueFlowToken(env.db, tokenContext, flow)
    expect(await peekFlowToken(env.db, tokenContext, 'password_reset', token)).toMatchObject({ userId })
    await update(await callerOf(env, 'cleo'), { password: newPassword, currentPassword: password })
    expect(await peekFlowToken(env.db, tokenContext, 'password_reset', token)).toBeUndefined()
    // A link issued concurrently has the previous auth generation and is invalid; a newer one is valid.
    const concurrent = await issueFlowToken(env.db, tokenContext, flow)
    expect(await peekFlowToken(env.db, tokenContext, 'password_reset', concurrent)).toBeUndefined()
    const newer = await issueFlowToken(env.db, tokenContext, { ...flow, user: { id: userId, authGeneration: 1 } })
    expect(await peekFlowToken(env.db, tokenContext, 'password_reset', newer)).toMatchObject({ userId })
  })

  test('accepts passwords of up to 128 bytes, all of which are significant, and refuses short ones', async () => {
    await makeUser(env, 'dora')
    const long = 'p'.repeat(127)
    const who = await callerOf(env, 'dora')
    for (const refused of ['short', 'ä'.repeat(65)])
      expect(await codeOf(update(who, { password: refused, currentPassword: password }))).toBe(Code.InvalidArgument)
    await update(who, { password: `${long}x`, currentPassword: password })
    expect(await codeOf(signIn(env, 'dora', `${long}y`))).toBe(Code.Unauthenticated)
    expect(await codeOf(signIn(env, 'dora', `${long}x`))).toBeUndefined()
  })
})

describe('a first password', () => {
  const passwordless = async (login: string) => {
    await makeUser(env, login)
    const session = await signIn(env, login)
    const who = await callerOf(env, login)
    await env.db.update(users).set({ passwordHash: null }).where(eq(users.id, who.userId))
    return { who, session }
  }

  test('can be set with a fresh credential, and ends no credential', async () => {
    const { who, session } = await passwordless('emil')
    await using recording = await recordEvents(env.bus, `evt.user.${who.userId}.*`)
    await update(who, { password: newPassword })
    expect((await callersOf(env, session.digests)).size).toBe(2)
    expect((await signIn(env, 'emil', newPassword)).session.userId).toBe(who.userId)
    await eventually(() => expect(recording.events.map(({ kind }) => kind)).toContain('user_password_hash_changed'))
  })

  test('is refused half an hour after the sign-in', async () => {
    const { who } = await passwordless('frida')
    now += 30 * minute
    expect(await codeOf(update({ ...who, fresh: true }, { password: newPassword }))).toBe(Code.FailedPrecondition)
    expect(await codeOf(update(who, { password: newPassword, currentPassword: password }))).toBe(Code.InvalidArgument)
  })

  test('is refused to credentials that are never fresh, and ended ones', async () => {
    const { who } = await passwordless('gerd')
    const mine = eq(credentials.id, who.credentialId ?? '')
    await env.db.update(credentials).set({ freshUntil: null }).where(mine)
    expect(await codeOf(update(who, { password: newPassword }))).toBe(Code.FailedPrecondition)
    await env.db
      .update(credentials)
      .set({ freshUntil: sql`now() + interval '1 hour'`, endedAt: new Date() })
      .where(mine)
    expect(await codeOf(update(who, { password: newPassword }))).toBe(Code.Unauthenticated)
  })
})

import { beforeAll, describe, expect, test } from '@jest/globals'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { Code, type ConnectError } from '@connectrpc/connect'
import { eventually, recordEvents } from '@parley/testkit'
import { eq, sql } from 'drizzle-orm'
import { users } from '../src/store/schema.ts'
import { callersOf, codeOf, makeUser, openEnv, useEnv, password, secretKey, signIn } from './_env.ts'
import { beginTransaction, untilWaiting } from './_while-locked.ts'

const env = useEnv()

beforeAll(() => env.start())

const login = (identifier: string, secret = password) =>
  env.internal.passwordLogin({ identifier, password: secret, clientAddress: '127.0.0.1' })

describe('signing in', () => {
  test('creates a bearer token and a cookie handle for the account', async () => {
    const userId = await makeUser(env, 'Ann', { roleNames: ['moderator'] })
    const before = Date.now()
    const { session, bearer, cookie, digests } = await signIn(env, 'Ann')
    expect(session).toMatchObject({ userId, login: 'Ann', lifetimeSeconds: 90 * 24 * 3600 })
    expect(session.token).toMatch(/^prl_AT[0-9A-Za-z]{43}$/)
    expect(session.cookieHandle).toMatch(/^host~[0-9A-Za-z]{43}$/)
    const callers = await callersOf(env, digests)
    expect(callers.size).toBe(2)
    for (const digest of [bearer, cookie]) {
      const caller = callers.get(digest.toString('hex'))
      expect(caller).toMatchObject({ userId, roleIds: ['moderator'] })
      const freshUntil = caller?.freshUntil && timestampDate(caller.freshUntil).getTime()
      expect(freshUntil).toBeGreaterThanOrEqual(before + 30 * 60_000)
      expect(freshUntil).toBeLessThanOrEqual(Date.now() + 30 * 60_000)
    }
    expect(callers.get(bearer.toString('hex'))?.credentialId).not.toBe(
      callers.get(cookie.toString('hex'))?.credentialId,
    )
  })

  test('accepts the login in any letter case or a verified e-mail address', async () => {
    const userId = await makeUser(env, 'Berta', { email: 'Berta@Example.org' })
    for (const identifier of ['berta', 'BERTA', ' berta ', 'berta@example.org', 'BERTA@EXAMPLE.ORG'])
      expect(await login(identifier)).toMatchObject({ userId, login: 'Berta' })
  })

  test('takes about as long for an unknown or passwordless account as for a wrong password', async () => {
    await makeUser(env, 'cleo')
    const passwordless = await makeUser(env, 'chris')
    await env.db.update(users).set({ passwordHash: null }).where(eq(users.id, passwordless))
    const took = new Map<string, number[]>()
    const others = ['nobody', 'nobody@example.org', 'chris']
    // Compares the fastest of each, because load only adds time. Without hashing, a response takes a tenth of the time.
    const fastest = (identifier: string) => Math.min(...(took.get(identifier) ?? []))
    await eventually(
      async () => {
        for (let round = 0; round < 9; round++)
          for (const identifier of ['cleo', ...others]) {
            const before = performance.now()
            await expect(login(identifier, 'wrong password')).rejects.toMatchObject({ code: Code.Unauthenticated })
            took.set(identifier, [...(took.get(identifier) ?? []), performance.now() - before])
          }
        for (const identifier of others) expect(fastest(identifier) / fastest('cleo')).toBeGreaterThan(0.5)
      },
      { timeoutMs: 80_000 },
    )
  })

  test('gives the same response to every wrong login or password', async () => {
    await makeUser(env, 'carl')
    const gone = await makeUser(env, 'gone', { email: 'gone@example.org' })
    const passwordless = await makeUser(env, 'passwordless')
    await env.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, gone))
    await env.db.update(users).set({ passwordHash: null }).where(eq(users.id, passwordless))
    const attempts = [
      login('carl', 'wrong password'),
      login('carl', ''),
      login('nobody'),
      login('nobody@example.org'),
      login('gone'),
      login('gone@example.org'),
      login('passwordless'),
      login('passwordless', ''),
      login(''),
      login('carl\0'),
      login('carl\0@example.org'),
      login('x'.repeat(10_000)),
      login('carl', `${password}\0`),
    ]
    const answers = await Promise.allSettled(attempts)
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: { code: Code.Unauthenticated, rawMessage: 'invalid credentials' },
      })
  })

  test('is audited, and not announced to clients', async () => {
    const userId = await makeUser(env, 'dora')
    await using recording = await recordEvents(env.bus, `evt.user.${userId}.*`)
    const signIns = () => recording.events.filter(({ fact }) => fact.case === 'login')
    const kinds = () => signIns().map(({ kind }) => kind)
    await expect(login('dora', 'wrong password')).rejects.toThrow()
    await eventually(() => expect(kinds()).toEqual(['login_failed']))
    await login('dora')
    await eventually(() => expect(kinds()).toEqual(['login_failed', 'login_succeeded']))
    const [failed, succeeded] = signIns()
    expect(failed).toMatchObject({ fact: { case: 'login', value: { succeeded: false } }, deliveries: [] })
    expect(succeeded).toMatchObject({ fact: { case: 'login', value: { succeeded: true } }, deliveries: [] })
    expect(succeeded?.version).toBeGreaterThan(failed?.version ?? 0n)
  })

  test('does not wait for the audit event of a wrong password', async () => {
    const userId = await makeUser(env, 'emil')
    await using other = await beginTransaction(env)
    await other.query('select 1 from users where id = $1 for update', [userId])
    // A call that waited for the locked row would fail with unavailable.
    expect(await codeOf(login('emil', 'wrong password'))).toBe(Code.Unauthenticated)
  })

  test('fails if the password is changed concurrently', async () => {
    const userId = await makeUser(env, 'fritz')
    await using other = await beginTransaction(env)
    await other.query(`update users set password_hash = 'another' where id = $1`, [userId])
    const attempt = codeOf(login('fritz'))
    await untilWaiting(env, 1)
    await other.query('commit')
    expect(await attempt).toBe(Code.Unauthenticated)
  })

  test('waits in a short queue; calls that do not fit fail with the time after which to retry', async () => {
    await using narrow = await openEnv()
    await narrow.start({ PARLEY_ACCOUNTS_HASHINGS_AT_ONCE: '1' })
    await makeUser(narrow, 'greta')
    const attempts = Array.from({ length: 60 }, () =>
      narrow.internal.passwordLogin({ identifier: 'greta', password: 'wrong password' }),
    )
    const answers = await Promise.allSettled(attempts)
    const codes = answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as ConnectError).code : 0))
    const [first] = answers.flatMap((answer, i) =>
      codes[i] === Code.ResourceExhausted && answer.status === 'rejected' ? [answer.reason as ConnectError] : [],
    )
    expect(first?.metadata.get('retry-after')).toBe('1')
    expect(codes.filter((code) => code === Code.Unauthenticated).length).toBeGreaterThanOrEqual(33)
    expect(codes.every((code) => code === Code.Unauthenticated || code === Code.ResourceExhausted)).toBe(true)
    // The queue is free again.
    expect(await narrow.internal.passwordLogin({ identifier: 'greta', password })).toBeDefined()
  })
})

test('no secret is stored', async () => {
  await makeUser(env, 'hans')
  const { session } = await signIn(env, 'hans')
  const tables = ['users', 'credentials', 'outbox']
  for (const table of tables) {
    const { rows } = await env.db.execute(sql.raw(`select * from ${table}`))
    const stored = rows
      .flatMap((row) => Object.values(row))
      .map((value: unknown) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
      .join('\n')
    for (const secret of [password, session.token, session.cookieHandle, secretKey])
      expect(stored).not.toContain(secret)
  }
})

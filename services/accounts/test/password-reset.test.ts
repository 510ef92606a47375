import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, recordEvents } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { users } from '../src/store/schema.ts'
import { callersOf, codeOf, makeUser, useEnv, signIn } from './_env.ts'
import { createMailFolder, type MailFolder } from './_mails.ts'
import { beginTransaction } from './_while-locked.ts'

const minute = 60_000
const newPassword = 'another long enough secret'
const env = useEnv()
let folder: MailFolder
let now = Date.now()

beforeAll(async () => {
  folder = env.use(await createMailFolder())
  const settings = { PARLEY_MAIL_DIR: folder.path, PARLEY_WEBSERVER_URL: 'https://chat.example.org/' }
  await env.start(settings, { now: () => new Date(now) })
})
afterEach(() => {
  now = Date.now()
})

const request = (email: string) => env.signIn.requestPasswordReset({ email })
const reset = (token: string, password = newPassword) => env.signIn.resetPassword({ token, password })
const link = /https:\/\/chat\.example\.org\/reset-password\?token=(\w+)/
/** Ignores notices of new passwords. */
const mailsTo = (email: string, count: number) =>
  eventually(async () => {
    const mails = (await folder.mails(email)).filter(({ text }) => link.test(text))
    expect(mails).toHaveLength(count)
    return mails
  })

async function tokenFor(email: string, earlier = 0): Promise<string> {
  await request(email)
  const mail = (await mailsTo(email, earlier + 1)).at(-1)
  expect(mail?.subject).toMatch(/^Reset your password/)
  return link.exec(mail?.text ?? '')?.[1] ?? 'no token'
}

describe('a forgotten password', () => {
  test('is replaced through a mailed link, which ends every session', async () => {
    const userId = await makeUser(env, 'anna', { email: 'anna@example.org' })
    const { digests } = await signIn(env, 'anna')
    await using recording = await recordEvents(env.bus, `evt.>`)
    const token = await tokenFor('anna@example.org')
    expect(await reset(token)).toMatchObject({ userId })
    expect((await callersOf(env, digests)).size).toBe(0)
    expect(await codeOf(signIn(env, 'anna'))).toBe(Code.Unauthenticated)
    expect((await signIn(env, 'anna', newPassword)).session.userId).toBe(userId)
    const kinds = () => recording.events.filter((event) => event.aggregateId === userId).map(({ kind }) => kind)
    await eventually(() =>
      expect(kinds()).toEqual(
        expect.arrayContaining([
          'password_reset_link_issued',
          'password_reset_completed',
          'user_password_hash_changed',
          'credentials_ended',
        ]),
      ),
    )
    const ended = recording.events.find(({ kind }) => kind === 'credentials_ended')
    expect(ended?.fact.value).toMatchObject({ all: true, reason: 'password_reset' })
  })

  test('can be replaced with a link once, within an hour', async () => {
    await makeUser(env, 'bert', { email: 'bert@example.org' })
    const first = await tokenFor('bert@example.org')
    now += 5 * minute
    const second = await tokenFor('bert@example.org', 1)
    const answers = await Promise.all([codeOf(reset(second)), codeOf(reset(second, 'yet another secret'))])
    expect(answers.filter((code) => code === undefined)).toHaveLength(1)
    expect(await codeOf(reset(second))).toBe(Code.InvalidArgument)
    expect(await codeOf(reset(first))).toBe(Code.InvalidArgument)
    now += 5 * minute
    const third = await tokenFor('bert@example.org', 2)
    now += 60 * minute
    expect(await codeOf(reset(third))).toBe(Code.InvalidArgument)
  })

  test('can still be replaced after an invalid new password was refused', async () => {
    await makeUser(env, 'cleo', { email: 'cleo@example.org' })
    const token = await tokenFor('cleo@example.org')
    expect(await codeOf(reset(token, 'short'))).toBe(Code.InvalidArgument)
    expect(await codeOf(reset(token))).toBeUndefined()
  })

  test('causes at most one mail in five minutes', async () => {
    await makeUser(env, 'dora', { email: 'dora@example.org' })
    await Promise.all(['dora@example.org', 'DORA@EXAMPLE.ORG', ' dora@example.org '].map(request))
    await mailsTo('dora@example.org', 1)
    now += 5 * minute - 1
    await request('dora@example.org')
    now += 1
    await request('dora@example.org')
    await mailsTo('dora@example.org', 2)
    expect(await folder.mails('DORA@example.org')).toEqual([])
  })

  test('leads to the same response for any valid address', async () => {
    const gone = await makeUser(env, 'gone', { email: 'gone@example.org' })
    await env.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, gone))
    await makeUser(env, 'emil', { email: 'emil@example.org' })
    const answers = await Promise.all(['emil@example.org', 'nobody@example.org', 'gone@example.org'].map(request))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    await mailsTo('emil@example.org', 1)
    expect(await folder.mails('gone@example.org')).toEqual([])
    expect(await codeOf(request('no address'))).toBe(Code.InvalidArgument)
  })

  test('leads to a response before the mail is sent', async () => {
    const userId = await makeUser(env, 'fritz', { email: 'fritz@example.org' })
    await using other = await beginTransaction(env)
    await other.query('select 1 from users where id = $1 for update', [userId])
    // A call that waited for the locked row would fail with unavailable.
    expect(await codeOf(request('fritz@example.org'))).toBeUndefined()
  })

  test('need not have existed: the link then sets the first password', async () => {
    const userId = await makeUser(env, 'greta', { email: 'greta@example.org' })
    await env.db.update(users).set({ passwordHash: null }).where(eq(users.id, userId))
    await reset(await tokenFor('greta@example.org'))
    expect((await signIn(env, 'greta', newPassword)).session.userId).toBe(userId)
  })

  test('is not replaced with invalid tokens', async () => {
    for (const token of ['', 'x'.repeat(43), '\0']) expect(await codeOf(reset(token))).toBe(Code.InvalidArgument)
  })
})

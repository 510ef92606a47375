import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ownerRoleId } from '@parley/auth'
import { eventually, recordEvents } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { users } from '../src/store/schema.ts'
import { callersOf, codeOf, makeUser, openEnv, signIn, type Env } from './_env.ts'
import { codeIn, mailFolder, type MailFolder } from './_mails.ts'

let env: Env
let folder: MailFolder

beforeAll(async () => {
  env = await openEnv()
  folder = await mailFolder()
  await env.start({ PARLEY_MAIL_DIR: folder.path, PARLEY_OWNERS_EMAILS: 'boss@example.org' })
})
afterAll(async () => {
  await env[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const ask = (userId: string, email: string) => env.signIn.requestEmailCode({ userId, email })
const confirm = (userId: string, email: string, code: string) => env.signIn.confirmEmailCode({ userId, email, code })
async function codeFor(userId: string, email: string): Promise<string> {
  await ask(userId, email)
  return codeIn((await folder.mails(email)).at(-1))
}
const wrong = (code: string) => (code === '000000' ? '000001' : '000000')

describe('an address', () => {
  test('is verified by the code that was mailed to it', async () => {
    const userId = await makeUser(env, 'anna')
    await using recording = await recordEvents(env.bus, `evt.user.${userId}.*`)
    const code = await codeFor(userId, 'anna@example.org')
    expect((await env.viewerOf(userId).getViewer({})).user?.hasVerifiedEmail).toBe(false)
    await confirm(userId, 'Anna@example.org', code)
    expect((await env.viewerOf(userId).getViewer({})).user?.hasVerifiedEmail).toBe(true)
    expect((await signIn(env, 'anna@example.org')).session.userId).toBe(userId)
    await eventually(() =>
      expect(recording.events.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['email_verification_code_issued', 'user_verified_email_added']),
      ),
    )
    expect(await codeOf(confirm(userId, 'anna@example.org', code))).toBe(Code.InvalidArgument)
    expect(await codeOf(confirm(userId, 'anna@example.org', await codeFor(userId, 'anna@example.org')))).toBeUndefined()
  })

  test('is for the one who asked, and for the address that was asked about', async () => {
    const [bert, thief] = [await makeUser(env, 'bert'), await makeUser(env, 'thief')]
    const code = await codeFor(bert, 'bert@example.org')
    expect(await codeOf(confirm(thief, 'bert@example.org', code))).toBe(Code.InvalidArgument)
    expect(await codeOf(confirm(bert, 'other@example.org', code))).toBe(Code.InvalidArgument)
    const registration = await env.signIn.verifyRegistrationCode({ email: 'bert@example.org', code }).catch(() => 'no')
    expect(registration).toBe('no')
    expect(await codeOf(confirm(bert, 'bert@example.org', code))).toBeUndefined()
  })

  test('that is none is no reason to fail', async () => {
    const userId = await makeUser(env, 'dirk')
    for (const email of ['dirk\0@example.org', 'dirk', ''])
      expect(await codeOf(confirm(userId, email, '123456'))).toBe(Code.InvalidArgument)
  })

  test('of somebody else is refused once it is proved, not before', async () => {
    const userId = await makeUser(env, 'cleo')
    await makeUser(env, 'first', { email: 'cleo@example.org' })
    const code = await codeFor(userId, 'cleo@example.org')
    expect(await codeOf(confirm(userId, 'cleo@example.org', wrong(code)))).toBe(Code.InvalidArgument)
    expect(await codeOf(confirm(userId, 'cleo@example.org', code))).toBe(Code.AlreadyExists)
  })

  test('that the configuration names makes an owner', async () => {
    const userId = await makeUser(env, 'dora')
    await confirm(userId, 'Boss@example.org', await codeFor(userId, 'Boss@example.org'))
    const { bearer } = await signIn(env, 'dora')
    expect((await callersOf(env, [bearer])).get(bearer.toString('hex'))?.roleIds).toEqual([ownerRoleId])
  })

  test('gets ten mails, whoever asks for them, and then the caller is told to wait', async () => {
    const [one, two] = [await makeUser(env, 'emil'), await makeUser(env, 'frida')]
    for (let i = 0; i < 10; i++) await ask(i % 2 ? one : two, 'many@example.org')
    for (const userId of [one, two]) expect(await codeOf(ask(userId, 'many@example.org'))).toBe(Code.ResourceExhausted)
    expect(await folder.mails('many@example.org')).toHaveLength(10)
    expect(await codeOf(ask(one, 'fewer@example.org'))).toBeUndefined()
  })

  test('is guessed at five times, whoever guesses', async () => {
    const [one, two] = [await makeUser(env, 'gerd'), await makeUser(env, 'hugo')]
    const codes = [await codeFor(one, 'guess@example.org'), await codeFor(two, 'guess@example.org')] as const
    for (let i = 0; i < 3; i++) await codeOf(confirm(one, 'guess@example.org', wrong(codes[0])))
    for (let i = 0; i < 2; i++) await codeOf(confirm(two, 'guess@example.org', wrong(codes[1])))
    expect(await codeOf(confirm(one, 'guess@example.org', codes[0]))).toBe(Code.InvalidArgument)
    expect(await codeOf(confirm(two, 'guess@example.org', codes[1]))).toBe(Code.InvalidArgument)
  })

  test('is nothing for accounts that are gone, and must look like one', async () => {
    const userId = await makeUser(env, 'ida')
    expect(await codeOf(ask(userId, 'nonsense'))).toBe(Code.InvalidArgument)
    await env.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, userId))
    expect(await codeOf(ask(userId, 'ida@example.org'))).toBe(Code.Unauthenticated)
    expect(await codeOf(confirm(userId, 'ida@example.org', '123456'))).toBe(Code.Unauthenticated)
  })
})

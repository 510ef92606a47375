import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { ownerRoleId } from '@parley/permissions'
import { eventually, recordEvents } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { credentials, users } from '../src/store/schema.ts'
import { callerOf, callersOf, codeOf, makeUser, useEnv, password, signIn } from './_env.ts'
import { codeIn, createMailFolder, type MailFolder } from './_mails.ts'

const env = useEnv()
let folder: MailFolder
let now = Date.now()

beforeAll(async () => {
  folder = env.use(await createMailFolder())
  await env.start(
    { PARLEY_MAIL_DIR: folder.path, PARLEY_OWNERS_EMAILS: 'boss@example.org' },
    { now: () => new Date(now) },
  )
})
afterEach(() => {
  now = Date.now()
})

const credentialIds = new Map<string, string>()
async function createSignedInUser(login: string, more: { email?: string } = {}): Promise<string> {
  const userId = await makeUser(env, login, more)
  credentialIds.set(userId, (await callerOf(env, login)).credentialId ?? '')
  return userId
}
const credentialOf = (userId: string, currentPassword?: string) => ({
  userId,
  credentialId: credentialIds.get(userId) ?? '',
  ...(currentPassword !== undefined && { currentPassword }),
})
const request = (userId: string, email: string, currentPassword?: string) =>
  env.signIn.requestEmailCode({ ...credentialOf(userId, currentPassword), email })
const confirm = (userId: string, email: string, code: string, currentPassword?: string) =>
  env.signIn.confirmEmailCode({ ...credentialOf(userId, currentPassword), email, code })
async function codeFor(userId: string, email: string): Promise<string> {
  await request(userId, email)
  return codeIn((await folder.mails(email)).at(-1))
}
const wrong = (code: string) => (code === '000000' ? '000001' : '000000')

describe('an e-mail address', () => {
  test('is verified by the code that was mailed to it', async () => {
    const userId = await createSignedInUser('anna')
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

  test('needs a code that was mailed to it for the same user', async () => {
    const [bert, thief] = [await createSignedInUser('bert'), await createSignedInUser('thief')]
    const code = await codeFor(bert, 'bert@example.org')
    expect(await codeOf(confirm(thief, 'bert@example.org', code))).toBe(Code.InvalidArgument)
    expect(await codeOf(confirm(bert, 'other@example.org', code))).toBe(Code.InvalidArgument)
    const registration = await env.signIn.verifyRegistrationCode({ email: 'bert@example.org', code }).catch(() => 'no')
    expect(registration).toBe('no')
    expect(await codeOf(confirm(bert, 'bert@example.org', code))).toBeUndefined()
  })

  test('cannot be verified if it is invalid', async () => {
    const userId = await createSignedInUser('dirk')
    for (const email of ['dirk\0@example.org', 'dirk', ''])
      expect(await codeOf(confirm(userId, email, '123456'))).toBe(Code.InvalidArgument)
  })

  test('of another account is reported as taken only after the right code', async () => {
    const userId = await createSignedInUser('cleo')
    await createSignedInUser('first', { email: 'cleo@example.org' })
    const code = await codeFor(userId, 'cleo@example.org')
    expect(await codeOf(confirm(userId, 'cleo@example.org', wrong(code)))).toBe(Code.InvalidArgument)
    expect(await codeOf(confirm(userId, 'cleo@example.org', code))).toBe(Code.AlreadyExists)
  })

  test('listed in the configuration makes its user an owner', async () => {
    const userId = await createSignedInUser('dora')
    await confirm(userId, 'Boss@example.org', await codeFor(userId, 'Boss@example.org'))
    const { bearer } = await signIn(env, 'dora')
    expect((await callersOf(env, [bearer])).get(bearer.toString('hex'))?.roleIds).toEqual([ownerRoleId])
  })

  test('is mailed at most ten codes for all users together', async () => {
    const [one, two] = [await createSignedInUser('emil'), await createSignedInUser('frida')]
    for (let i = 0; i < 10; i++) await request(i % 2 ? one : two, 'many@example.org')
    for (const userId of [one, two])
      expect(await codeOf(request(userId, 'many@example.org'))).toBe(Code.ResourceExhausted)
    expect(await folder.mails('many@example.org')).toHaveLength(10)
    expect(await codeOf(request(one, 'fewer@example.org'))).toBeUndefined()
  })

  test('allows five wrong codes for all users together', async () => {
    const [one, two] = [await createSignedInUser('gerd'), await createSignedInUser('hugo')]
    const codes = [await codeFor(one, 'guess@example.org'), await codeFor(two, 'guess@example.org')] as const
    for (let i = 0; i < 3; i++) await codeOf(confirm(one, 'guess@example.org', wrong(codes[0])))
    for (let i = 0; i < 2; i++) await codeOf(confirm(two, 'guess@example.org', wrong(codes[1])))
    expect(await codeOf(confirm(one, 'guess@example.org', codes[0]))).toBe(Code.InvalidArgument)
    expect(await codeOf(confirm(two, 'guess@example.org', codes[1]))).toBe(Code.InvalidArgument)
  })

  test('cannot be added to a deleted account, and must be valid', async () => {
    const userId = await createSignedInUser('ida')
    expect(await codeOf(request(userId, 'nonsense'))).toBe(Code.InvalidArgument)
    await env.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, userId))
    expect(await codeOf(request(userId, 'ida@example.org'))).toBe(Code.Unauthenticated)
    expect(await codeOf(confirm(userId, 'ida@example.org', '123456'))).toBe(Code.Unauthenticated)
  })
})

describe('verifying an e-mail address', () => {
  const minute = 60_000
  const email = (login: string) => `${login}@example.org`

  test('needs a fresh credential or the current password', async () => {
    const userId = await createSignedInUser('jana')
    now += 31 * minute
    expect(await codeOf(request(userId, email('jana')))).toBe(Code.FailedPrecondition)
    expect(await codeOf(request(userId, email('jana'), 'a wrong password'))).toBe(Code.InvalidArgument)
    expect(await folder.mails(email('jana'))).toEqual([])
    expect(await codeOf(request(userId, email('jana'), password))).toBeUndefined()
    const code = codeIn((await folder.mails(email('jana'))).at(-1))
    await env.db
      .update(credentials)
      .set({ freshUntil: new Date(now) })
      .where(eq(credentials.userId, userId))
    expect(await codeOf(confirm(userId, email('jana'), code))).toBe(Code.FailedPrecondition)
    expect(await codeOf(confirm(userId, email('jana'), code, 'a wrong password'))).toBe(Code.InvalidArgument)
    expect((await env.viewerOf(userId).getViewer({})).user?.hasVerifiedEmail).toBe(false)
    expect(await codeOf(confirm(userId, email('jana'), code, password))).toBeUndefined()
    expect((await env.viewerOf(userId).getViewer({})).user?.hasVerifiedEmail).toBe(true)
  })

  test('is refused to tokens of other web clients and ended sessions', async () => {
    const [other, ended] = [await createSignedInUser('karl'), await createSignedInUser('lena')]
    await env.db.update(credentials).set({ freshUntil: null }).where(eq(credentials.userId, other))
    expect(await codeOf(request(other, email('karl'), password))).toBe(Code.FailedPrecondition)
    await env.db
      .update(credentials)
      .set({ endedAt: new Date(now) })
      .where(eq(credentials.userId, ended))
    expect(await codeOf(request(ended, email('lena'), password))).toBe(Code.Unauthenticated)
    expect(await codeOf(env.signIn.requestEmailCode({ userId: other, email: 'x@example.org' }))).toBe(
      Code.Unauthenticated,
    )
    expect(await folder.mails(email('karl'))).toEqual([])
  })

  test('notifies the addresses verified before', async () => {
    const userId = await createSignedInUser('mona', { email: email('mona') })
    const second = 'mona-two@example.org'
    const code = await codeFor(userId, second)
    await confirm(userId, second, code)
    const notices = async (address: string) =>
      (await folder.mails(address)).filter(({ subject }) => subject.includes('New e-mail address'))
    const [notice] = await eventually(async () => {
      const mails = await notices(email('mona'))
      expect(mails).toHaveLength(1)
      return mails
    })
    expect(notice?.text).toContain('mona')
    expect(notice?.text).toContain(new Date(now).toUTCString().slice(0, 16))
    for (const secret of [code, second]) expect(`${notice?.text}${notice?.html}`).not.toContain(secret)
    // Verifying the second address again sends no notice; verifying a third one sends a notice to both others.
    await confirm(userId, second, await codeFor(userId, second))
    await confirm(userId, 'mona-three@example.org', await codeFor(userId, 'mona-three@example.org'))
    await eventually(async () => {
      expect(await notices(email('mona'))).toHaveLength(2)
      expect(await notices(second)).toHaveLength(1)
    })
    expect(await notices('mona-three@example.org')).toEqual([])
  })
})

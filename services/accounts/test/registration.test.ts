import { toJsonString } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { ownerRoleId } from '@parley/permissions'
import { EventSchema } from '@parley/contracts/internal'
import { eventually, recordEvents } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { codeIn, createMailFolder, type MailFolder } from './_mails.ts'
import { callersOf, codeOf, makeUser, openEnv, useEnv, password, signIn } from './_env.ts'

const minute = 60_000
const env = useEnv()
let folder: MailFolder
let now = Date.now()
const clock = { now: () => new Date(now) }

beforeAll(async () => {
  folder = env.use(await createMailFolder())
  await env.start({ PARLEY_MAIL_DIR: folder.path, PARLEY_OWNERS_EMAILS: 'boss@example.org' }, clock)
})
afterEach(() => {
  now = Date.now()
})

const request = (email: string) => env.signIn.requestRegistrationCode({ email })
const verify = (email: string, code: string) => env.signIn.verifyRegistrationCode({ email, code })
const complete = (completionToken: string, login: string, secret = password) =>
  env.signIn.completeRegistration({ completionToken, login, password: secret })
const wrong = (code: string) => (code === '000000' ? '000001' : '000000')

async function codeFor(email: string): Promise<string> {
  await request(email)
  return codeIn((await folder.mails(email)).at(-1))
}
const tokenFor = async (email: string) => (await verify(email, await codeFor(email))).completionToken

describe('registration', () => {
  test('verifies an address, and creates an account and a session', async () => {
    await using recording = await recordEvents(env.bus, 'evt.>')
    const completionToken = await tokenFor('Anna@example.org')
    const session = await complete(completionToken, 'Anna')
    expect(session).toMatchObject({ login: 'Anna', displayName: 'Anna', lifetimeSeconds: 90 * 24 * 3600 })
    expect(session.token).toMatch(/^prl_AT/)
    expect(session.cookieHandle).not.toBe('')
    await eventually(() => expect(recording.events.map(({ kind }) => kind)).toContain('login_succeeded'))
    expect((await signIn(env, 'anna@EXAMPLE.org')).session.userId).toBe(session.userId)
    await eventually(() =>
      expect(recording.events.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining([
          'registration_verification_code_issued',
          'user_created',
          'user_verified_email_added',
          'bearer_token_issued',
        ]),
      ),
    )
    const published = recording.events.map((event) => toJsonString(EventSchema, event))
    expect(published.join()).not.toMatch(/example/i)
    const created = recording.events.find(({ kind }) => kind === 'user_created')
    expect(created?.actorId).toBe(session.userId)
  })

  test('mails a code with the name of the server', async () => {
    const code = await codeFor('bert@example.org')
    const [mail] = await folder.mails('bert@example.org')
    expect(mail?.subject).toBe('Your registration code for Our <Chat>')
    expect(mail?.text).toContain('15 minutes')
    expect(mail?.html).toContain(code)
    expect(mail?.html).toContain('Our &lt;Chat&gt;')
    expect(mail?.html).not.toContain('<Chat>')
  })

  test('makes an owner if the configuration lists the address', async () => {
    const session = await complete(await tokenFor('Boss@example.org'), 'boss')
    const { bearer } = await signIn(env, 'boss')
    expect((await callersOf(env, [bearer])).get(bearer.toString('hex'))).toMatchObject({
      userId: session.userId,
      roleIds: [ownerRoleId],
    })
  })

  test('reveals an account only to the owner of the address', async () => {
    await makeUser(env, 'cleo', { email: 'Cleo@example.org' })
    expect(await request('cleo@example.org')).toEqual(await request('nobody@example.org'))
    const [mail, ...more] = await folder.mails('Cleo@example.org')
    expect(more).toEqual([])
    expect(mail?.subject).toBe('You already have an account at Our <Chat>')
    expect(codeIn(mail)).toBe('no code')
    expect(await folder.mails('cleo@example.org')).toEqual([])
    for (const email of ['cleo@example.org', 'nobody@example.org', 'never-asked@example.org']) {
      const refused = await verify(email, '12345x').catch((error: unknown) => String(error))
      expect(refused).toMatch(/invalid_argument.*invalid code/)
    }
  })

  test('refuses an invalid address', async () => {
    for (const email of ['', 'x', 'a@b', 'a@b.org, c@d.org', 'a b@c.org', 'a@b.org\r\nBcc: c@d.org'])
      expect(await codeOf(request(email))).toBe(Code.InvalidArgument)
    for (const email of ['', 'x', 'a\0@b.org']) expect(await codeOf(verify(email, '123456'))).toBe(Code.InvalidArgument)
  })

  test('completes once, and can be retried after a refusal', async () => {
    await makeUser(env, 'dora')
    const token = await tokenFor('dan@example.org')
    expect(await codeOf(complete(token, 'dora'))).toBe(Code.AlreadyExists)
    expect(await codeOf(complete(token, 'dan', 'short'))).toBe(Code.InvalidArgument)
    for (const login of ['d..n', 'dan.', '.dan', 'root', 'owner', 'here'])
      expect(await codeOf(complete(token, login))).toBe(Code.InvalidArgument)
    const answers = await Promise.all([codeOf(complete(token, 'dan')), codeOf(complete(token, 'dan2'))])
    expect(answers.sort()).toEqual([Code.InvalidArgument, undefined].sort())
    expect(await codeOf(complete(token, 'dan3'))).toBe(Code.InvalidArgument)
    expect(await codeOf(complete('made up', 'dan3'))).toBe(Code.InvalidArgument)
  })

  test('fails if another account has verified the address meanwhile', async () => {
    const token = await tokenFor('emil@example.org')
    await makeUser(env, 'other', { email: 'EMIL@example.org' })
    expect(await codeOf(complete(token, 'emil'))).toBe(Code.AlreadyExists)
  })

  test('allows 15 minutes for each step', async () => {
    const code = await codeFor('fritz@example.org')
    now += 15 * minute
    expect(await codeOf(verify('fritz@example.org', code))).toBe(Code.InvalidArgument)
    const token = await tokenFor('fritz@example.org')
    now += 15 * minute
    expect(await codeOf(complete(token, 'fritz'))).toBe(Code.InvalidArgument)
  })

  test('accepts only the code mailed last, and only once', async () => {
    const first = await codeFor('gerd@example.org')
    const second = await codeFor('gerd@example.org')
    if (first !== second) expect(await codeOf(verify('gerd@example.org', first))).toBe(Code.InvalidArgument)
    expect(await codeOf(verify('gerd@example.org', second))).toBeUndefined()
    expect(await codeOf(verify('gerd@example.org', second))).toBe(Code.InvalidArgument)
  })
})

describe('the limits of codes', () => {
  test('allow ten mails in a code’s lifetime; further requests succeed without a mail', async () => {
    for (let i = 0; i < 12; i++) expect(await request('hans@example.org')).toBeDefined()
    expect(await folder.mails('hans@example.org')).toHaveLength(10)
    now += 15 * minute
    await request('hans@example.org')
    expect(await folder.mails('hans@example.org')).toHaveLength(11)
  })

  test('allow five wrong attempts, counted over all codes for an address', async () => {
    const first = await codeFor('ida@example.org')
    for (let i = 0; i < 3; i++) expect(await codeOf(verify('ida@example.org', wrong(first)))).toBe(Code.InvalidArgument)
    const second = await codeFor('ida@example.org')
    for (let i = 0; i < 2; i++)
      expect(await codeOf(verify('ida@example.org', wrong(second)))).toBe(Code.InvalidArgument)
    expect(await codeOf(verify('ida@example.org', second))).toBe(Code.InvalidArgument)
    expect(await codeFor('ida@example.org')).toBe(second)
    now += 15 * minute
    expect(await codeOf(verify('ida@example.org', await codeFor('ida@example.org')))).toBeUndefined()
  })

  test('count wrong codes until the newest code expires', async () => {
    await codeFor('jan@example.org')
    now += 14 * minute
    const code = await codeFor('jan@example.org')
    now += 2 * minute
    for (let i = 0; i < 5; i++) expect(await codeOf(verify('jan@example.org', wrong(code)))).toBe(Code.InvalidArgument)
    expect(await codeOf(verify('jan@example.org', code))).toBe(Code.InvalidArgument)
  })

  test('count concurrent wrong codes', async () => {
    const code = await codeFor('karl@example.org')
    await Promise.allSettled(Array.from({ length: 8 }, () => verify('karl@example.org', wrong(code))))
    const { rows } = await env.db.execute(
      sql`select wrong_attempts from email_codes where email_key = 'karl@example.org'`,
    )
    expect(rows).toEqual([{ wrong_attempts: 5 }])
  })

  test('do not apply to mails if throttling is disabled', async () => {
    await using other = await openEnv()
    await other.start({
      PARLEY_MAIL_DIR: folder.path,
      PARLEY_AUTH_EMAIL_OTP_MAX_DELIVERED_CODES: '2',
      PARLEY_AUTH_EMAIL_OTP_THROTTLING_ENABLED: 'false',
    })
    for (let i = 0; i < 3; i++) await other.signIn.requestRegistrationCode({ email: 'lea@example.org' })
    expect(await folder.mails('lea@example.org')).toHaveLength(3)
  })
})

describe('a server', () => {
  test('can disable registration', async () => {
    await using other = await openEnv()
    await other.start({ PARLEY_MAIL_DIR: folder.path, PARLEY_AUTH_DIRECT_REGISTRATION: 'false' })
    const { signIn: closed } = other
    const calls = [
      closed.requestRegistrationCode({ email: 'max@example.org' }),
      closed.verifyRegistrationCode({ email: 'max@example.org', code: '123456' }),
      closed.completeRegistration({ completionToken: 'x', login: 'max', password }),
    ]
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ code: Code.PermissionDenied, rawMessage: 'Registration is disabled' })
  })

  test('without a mail server refuses registration, and password resets by mail', async () => {
    await using other = await openEnv()
    await other.start()
    expect(await codeOf(other.signIn.requestRegistrationCode({ email: 'a@example.org' }))).toBe(Code.FailedPrecondition)
    expect(await codeOf(other.signIn.requestPasswordReset({ email: 'a@example.org' }))).toBe(Code.FailedPrecondition)
  })

  test('never exceeds the limit of accounts, even concurrently', async () => {
    await using other = await openEnv()
    await other.start({ PARLEY_LIMITS_MAX_USERS: '3' })
    const create = (login: string) => codeOf(other.operator.createUser({ login, password }))
    const codes = await Promise.all(['u1', 'u2', 'u3', 'u4', 'u5', 'u6'].map(create))
    expect(codes.filter((code) => code === undefined)).toHaveLength(3)
    expect(codes.filter((code) => code === Code.ResourceExhausted)).toHaveLength(3)
    await other.db.execute(sql`update users set deleted_at = now() where id = (select min(id) from users)`)
    expect(await create('u7')).toBeUndefined()
    expect(await create('u8')).toBe(Code.ResourceExhausted)
  })
})

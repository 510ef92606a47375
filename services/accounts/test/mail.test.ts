import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openRedis } from '@parley/redis'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { readConfig } from '../src/config.ts'
import { mailBudget } from '../src/engines/mail/mail-budget.ts'
import type { MailKind } from '../src/engines/mail/mail.ts'
import { openTransport } from '../src/engines/mail/open-transport.ts'
import { codeOf, makeUser, openEnv, useEnv, secretKey, type Env } from './_env.ts'
import { codeIn, createMailFolder } from './_mails.ts'
import { startMailServer, type MailServer } from './_smtp.ts'

const env = useEnv()

const request = (email: string) => env.signIn.requestRegistrationCode({ email })

/** Returns the error code. A failed mail is retried for about two seconds. */
async function requestWith(settings: Record<string, string>, email: string): Promise<Code | undefined> {
  await using _process = await env.start(settings)
  return await codeOf(request(email))
}

test('mails share an hourly budget, a quarter reserved for signed-in people; only notices may exceed it', async () => {
  await using folder = await createMailFolder()
  const redis = openRedis({ url: env.redis.url, name: 'test' })
  await eventually(() => expect(redis.status).toBe('ready'))
  const budget = mailBudget(redis, 8)
  const countTaken = async (kind: MailKind, times: number) => {
    let count = 0
    for (let n = 0; n < times; n++) if (await budget.take(kind)) count++
    return count
  }
  expect(await countTaken('registration_code', 20)).toBe(6)
  expect(await countTaken('password_reset', 20)).toBe(0)
  expect(await countTaken('email_code', 20)).toBe(2)
  expect(await countTaken('email_added', 5)).toBe(5)
  // A new process shares the used-up budget, and reports that like any other failed mail.
  const settings = { PARLEY_MAIL_DIR: folder.path, PARLEY_SMTP_MAILS_PER_HOUR: '8' }
  expect(await requestWith(settings, 'late@example.org')).toBe(Code.Unavailable)
  expect(await folder.mails()).toEqual([])
  await redis.flushdb()
  await redis[Symbol.asyncDispose]()
})

describe('a mail server', () => {
  test('receives mails over STARTTLS, with sender and server name', async () => {
    await using server = await startMailServer()
    expect(await requestWith(server.settings, 'anna@example.org')).toBeUndefined()
    const [mail, ...more] = server.mails
    expect(more).toEqual([])
    expect(mail).toMatchObject({ to: 'anna@example.org', secure: true, user: 'chat' })
    expect(mail?.from).toBe('"Our <Chat>" <chat@example.org>')
    expect(codeIn(mail)).toMatch(/^\d{6}$/)
    expect(
      await requestWith({ ...server.settings, PARLEY_SMTP_FROM: 'Desk <desk@example.org>' }, 'b@example.org'),
    ).toBeUndefined()
    expect(server.mails[1]?.from).toBe('Desk <desk@example.org>')
  })

  test('without TLS receives no mail unless allowed', async () => {
    await using server = await startMailServer({
      hideSTARTTLS: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
    })
    await eventually(async () => expect(await requestWith(server.settings, 'c@example.org')).toBe(Code.Unavailable))
    expect(server.mails).toEqual([])
    expect(await requestWith({ ...server.settings, PARLEY_SMTP_TLS: 'opportunistic' }, 'c@example.org')).toBeUndefined()
    expect(server.mails).toMatchObject([{ to: 'c@example.org', secure: false }])
  })

  test('that offers TLS is used with TLS, even if TLS is optional', async () => {
    await using server = await startMailServer()
    expect(await requestWith({ ...server.settings, PARLEY_SMTP_TLS: 'opportunistic' }, 'd@example.org')).toBeUndefined()
    expect(server.mails).toMatchObject([{ secure: true }])
  })

  test('may use implicit TLS', async () => {
    await using server = await startMailServer({ secure: true })
    expect(await requestWith({ ...server.settings, PARLEY_SMTP_TLS: 'implicit' }, 'e@example.org')).toBeUndefined()
    expect(server.mails).toMatchObject([{ secure: true }])
  })

  test('with a self-signed certificate receives no mail by default', async () => {
    await using server = await startMailServer()
    for (const mode of ['mandatory', 'opportunistic']) {
      const settings = { ...server.settings, PARLEY_SMTP_TLS_SKIP_VERIFY: 'false', PARLEY_SMTP_TLS: mode }
      await eventually(async () => expect(await requestWith(settings, 'f@example.org')).toBe(Code.Unavailable))
    }
    expect(server.mails).toEqual([])
  })

  test('that rejects our password makes the call fail with `unavailable`', async () => {
    await using server = await startMailServer()
    expect(await requestWith({ ...server.settings, PARLEY_SMTP_PASSWORD: 'wrong' }, 'g@example.org')).toBe(
      Code.Unavailable,
    )
  })
})

describe('a mail that the server refuses', () => {
  let server: MailServer
  let other: Env
  beforeAll(async () => {
    server = await startMailServer()
    other = await openEnv()
    await other.start(server.settings)
  })
  afterAll(async () => {
    await other[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  const request = (email: string) => other.signIn.requestRegistrationCode({ email })

  test('temporarily is retried soon', async () => {
    server.refusals.push({ code: 451, at: 'recipient' }, { code: 452, at: 'data' })
    expect(await codeOf(request('hans@example.org'))).toBeUndefined()
    // The response may come before the last attempt.
    await eventually(() => expect(server.mails.map(({ to }) => to)).toEqual(['hans@example.org']))
    expect(server.attempts()).toBe(3)
  })

  test('permanently is not retried, and not counted; the call fails', async () => {
    const before = server.attempts()
    server.refusals.push({ code: 550, at: 'recipient' })
    expect(await codeOf(request('ida@example.org'))).toBe(Code.Unavailable)
    expect(server.attempts()).toBe(before + 1)
    const { rows } = await other.db.execute(sql`select mails from email_codes where email_key = 'ida@example.org'`)
    expect(rows).toEqual([{ mails: 0 }])
  })

  test('does not invalidate the previous code', async () => {
    const email = 'lea@example.org'
    await request(email)
    const code = codeIn(server.mails.at(-1))
    server.refusals.push({ code: 550, at: 'recipient' })
    expect(await codeOf(request(email))).toBe(Code.Unavailable)
    expect(await codeOf(other.signIn.verifyRegistrationCode({ email, code }))).toBeUndefined()
  })

  test('is reported in the same way for any address', async () => {
    await makeUser(other, 'kim', { email: 'kim@example.org' })
    const reports = []
    for (const email of ['kim@example.org', 'nobody@example.org']) {
      server.refusals.push({ code: 550, at: 'recipient' })
      const error = ConnectError.from(await request(email).catch((thrown: unknown) => thrown))
      reports.push([error.message, error.metadata.get('parley-failed')])
    }
    expect(reports).toEqual(Array(2).fill([expect.stringContaining('the mail could not be sent'), 'mail']))
  })

  test('temporarily is retried even if it is sent after the response', async () => {
    await makeUser(other, 'jan', { email: 'jan@example.org' })
    server.refusals.push({ code: 451, at: 'recipient' })
    expect(await codeOf(other.signIn.requestPasswordReset({ email: 'jan@example.org' }))).toBeUndefined()
    await eventually(() => expect(server.mails.map(({ to }) => to)).toContain('jan@example.org'))
  })
})

test('a mail server that does not respond does not delay the caller forever', async () => {
  await using unresponsive = await startMailServer({ onConnect: () => undefined })
  expect(await requestWith(unresponsive.settings, 'karl@example.org')).toBeUndefined()
})

describe('the configuration', () => {
  const read = (settings: Record<string, string>) =>
    readConfig({
      env: {
        PARLEY_ACCOUNTS_DATABASE_URL: 'postgres://x',
        PARLEY_NATS_URL: 'nats://x',
        PARLEY_REDIS_URL: 'redis://x',
        PARLEY_CORE_SECRET_KEY: secretKey,
        PARLEY_CORE_ASSETS_SIGNING_SECRET: secretKey,
        PARLEY_WEBSERVER_URL: 'https://chat.example.org',
        ...settings,
      },
    })

  test('need not name a mail server, but a mail server must be complete and its settings valid', () => {
    expect(openTransport(read({}))).toBeUndefined()
    expect(() => openTransport(read({ PARLEY_SMTP_ENABLED: 'true' }))).toThrow(/PARLEY_SMTP_HOST[^]*PARLEY_SMTP_FROM/)
    expect(() => read({ PARLEY_SMTP_FROM: 'nobody' })).toThrow(/PARLEY_SMTP_FROM/)
    expect(() => read({ PARLEY_SMTP_TLS: 'sometimes' })).toThrow(/PARLEY_SMTP_TLS/)
  })

  test('ignores PARLEY_MAIL_DIR if a mail server is configured', async () => {
    await using server = await startMailServer()
    await using folder = await createMailFolder()
    expect(await requestWith({ ...server.settings, PARLEY_MAIL_DIR: folder.path }, 'lea@example.org')).toBeUndefined()
    expect(await folder.mails()).toEqual([])
    expect(server.mails).toHaveLength(1)
  })
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Finding } from '@parley/doctor'
import { selfSignedCertificate } from '@parley/testkit'
import { startOidcProvider, type OidcProvider } from '@parley/testkit/oidc-provider'
import { providersCheck } from '../src/clients/providers/check-providers.ts'
import { mailCheck } from '../src/engines/mail/index.ts'
import { startMailServer, type MailServer } from './_smtp.ts'

let smtp: MailServer
let provider: OidcProvider

beforeAll(async () => {
  ;[smtp, provider] = await Promise.all([startMailServer(), startOidcProvider(['http://127.0.0.1/callback'])])
})
afterAll(async () => {
  await smtp[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const checkMail = (changes: Record<string, string> = {}) => mailCheck({ env: { ...smtp.settings, ...changes } })
const findingOf = (findings: Finding[], check: string) => findings.find((finding) => finding.check === check)

test('a working mail server passes, and no mail is sent', async () => {
  expect(findingOf(await checkMail(), 'mail.server')).toMatchObject({ result: 'ok' })
  expect(smtp.attempts()).toBe(0)
})

test('a mail server that rejects the password, lacks implicit TLS or is unreachable is reported', async () => {
  const login = { PARLEY_SMTP_USERNAME: 'chat', PARLEY_SMTP_PASSWORD: 'wrong-password' }
  const refused = findingOf(await checkMail(login), 'mail.server')
  expect(refused).toMatchObject({ result: 'fail', next: expect.stringContaining('PARLEY_SMTP_PASSWORD') })
  expect(JSON.stringify(refused)).not.toContain('wrong-password')
  expect(findingOf(await checkMail({ PARLEY_SMTP_TLS: 'implicit' }), 'mail.server')).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('PARLEY_SMTP_TLS is implicit'),
  })
  expect(findingOf(await checkMail({ PARLEY_SMTP_PORT: '1' }), 'mail.server')).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('PARLEY_SMTP_PORT'),
  })
})

test('a self-signed certificate of the mail server is always reported', async () => {
  const strict = await checkMail({ PARLEY_SMTP_TLS_SKIP_VERIFY: 'false' })
  expect(findingOf(strict, 'mail.server')).toMatchObject({ result: 'fail' })
  expect(findingOf(strict, 'mail.certificate')).toMatchObject({ result: 'fail' })
  const accepted = await checkMail({ PARLEY_SMTP_TLS_SKIP_VERIFY: 'true' })
  expect(findingOf(accepted, 'mail.certificate')).toMatchObject({
    result: 'warn',
    next: expect.stringContaining('SKIP_VERIFY'),
  })
})

test.each(['mandatory', 'implicit'])(
  'an expired certificate of the mail server is reported, with TLS %s',
  async (tls) => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
    await using expired = await startMailServer({
      ...selfSignedCertificate({ from: inDays(-9), until: inDays(-1) }),
      secure: tls === 'implicit',
    })
    const settings = { ...expired.settings, PARLEY_SMTP_TLS: tls, PARLEY_SMTP_TLS_SKIP_VERIFY: 'false' }
    const findings = await mailCheck({ env: settings })
    expect(findings).toContainEqual({
      ...{ check: 'mail.certificate', result: 'fail' },
      found: expect.stringMatching(/^the certificate of 127\.0\.0\.1:\d+ expired on \d{4}-\d\d-\d\d$/),
      next: 'Renew the certificate, and let the server load the new one.',
    })
    expect(findingOf(findings, 'mail.server')).toMatchObject({
      result: 'fail',
      found: expect.stringContaining('certificate'),
    })
  },
)

test('no mail server, an unusable folder and incomplete settings are reported', async () => {
  expect(await mailCheck({ env: {} })).toEqual([
    expect.objectContaining({ result: 'warn', next: expect.stringContaining('PARLEY_SMTP_ENABLED') }),
  ])
  expect(await mailCheck({ env: { PARLEY_MAIL_DIR: '/dev/null/mails' } })).toEqual([
    expect.objectContaining({ result: 'fail', next: expect.stringContaining('correct PARLEY_MAIL_DIR') }),
  ])
  expect(await mailCheck({ env: { PARLEY_MAIL_DIR: `${process.cwd()}/not-made-yet/mails` } })).toMatchObject([
    { result: 'ok' },
  ])
  expect(await mailCheck({ env: { PARLEY_SMTP_ENABLED: 'true', PARLEY_SMTP_FROM: 'a@example.org' } })).toEqual([
    expect.objectContaining({ check: 'mail.settings', found: expect.stringContaining('PARLEY_SMTP_HOST') }),
  ])
})

test('a sign-in provider is reported if it has another issuer or is unavailable', async () => {
  const settings = (issuer: string) => ({
    PARLEY_AUTH_PROVIDERS_0_ID: 'work',
    PARLEY_AUTH_PROVIDERS_0_TYPE: 'oidc',
    PARLEY_AUTH_PROVIDERS_0_CLIENT_ID: provider.clientId,
    PARLEY_AUTH_PROVIDERS_0_CLIENT_SECRET: provider.clientSecret,
    PARLEY_AUTH_PROVIDERS_0_ISSUER_URL: issuer,
  })
  expect(await providersCheck({ env: settings(provider.issuer) })).toEqual([
    expect.objectContaining({ check: 'providers.work', result: 'ok' }),
  ])
  expect(await providersCheck({ env: settings(provider.issuer.replace('127.0.0.1', 'localhost')) })).toEqual([
    expect.objectContaining({
      result: 'fail',
      next: expect.stringContaining('must equal the issuer'),
    }),
  ])
  await provider.stop()
  expect(await providersCheck({ env: settings(provider.issuer) })).toEqual([
    expect.objectContaining({ result: 'fail', next: expect.stringContaining('.well-known/openid-configuration') }),
  ])
  expect(await providersCheck({ env: {} })).toMatchObject([{ result: 'ok' }])
})

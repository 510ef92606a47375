import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { type BrowserAnswer, type Browser, jsonOf } from '@parley/testkit'
import { digestOf } from './_accounts.ts'
import { useEnv, type Gateway } from './_env.ts'

const env = useEnv()
let gateway: Gateway
let browser: Browser
beforeAll(async () => {
  gateway = await env.start()
})
beforeEach(() => {
  browser = gateway.browser()
  env.accounts.answers.clear()
  env.accounts.requested.length = 0
  env.accounts.passwords.set('ada', { password: 'correct horse', userId: 'U-ada' })
})

const login = (fields: object = { login: 'ada', password: 'correct horse' }) => browser.postJson('/auth/login', fields)
const statusAndBody = (answer: BrowserAnswer) => [answer.status, jsonOf(answer)]

describe('POST /auth/login', () => {
  test('gives a bearer token and a browser session', async () => {
    const answer = await login({ identifier: 'ada', password: 'correct horse' })
    expect(statusAndBody(answer)).toEqual([
      200,
      { success: true, user: { id: 'U-ada', login: 'ada' }, token: expect.stringMatching(/^\w{43}$/) },
    ])
    const [session = '', csrf = ''] = answer.cookies
    expect(session).toMatch(/^parley_session=\S+; Path=\/; SameSite=Lax; HttpOnly; Max-Age=7776000$/)
    expect(csrf).toMatch(/^parley_csrf=[\w-]{43}\.[\w-]{43}; Path=\/; SameSite=Lax; Max-Age=7776000$/)
    expect(env.accounts.requests('passwordLogin')).toEqual([
      expect.objectContaining({ identifier: 'ada', clientAddress: '127.0.0.1' }),
    ])
  })

  test('tells accounts the user agent, and whether only a cookie is requested', async () => {
    const fields = { login: 'ada', password: 'correct horse', cookieOnly: true }
    const answer = await browser.postJson('/auth/login', fields, { 'user-agent': 'Program/1' })
    expect(answer.status).toBe(200)
    expect(env.accounts.requests('passwordLogin')).toMatchObject([{ userAgent: 'Program/1', cookieOnly: true }])
  })

  test('over https sets HSTS and cookies for this host only, and accepts older cookies without their prefix', async () => {
    const secure = (await env.start({ PARLEY_WEBSERVER_URL: 'https://chat.example.org' })).browser()
    const { cookies, headers } = await secure.postJson('/auth/login', { login: 'ada', password: 'correct horse' })
    expect(cookies).toHaveLength(3)
    for (const cookie of cookies) expect(cookie).toMatch(/^__Host-parley_\w+=\S+; Path=\/; SameSite=Lax; Secure/)
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect((await browser.get('/healthz')).headers.has('strict-transport-security')).toBe(false)

    // The cookies of a browser that signed in over http, which have no prefix, are accepted too.
    const [[, session = '']] = [...secure.jar] as [[string, string]]
    const csrf = { 'x-csrf-token': secure.jar.get('__Host-parley_csrf') ?? '' }
    const older = new Map([...secure.jar].map(([name, value]) => [name.replace('__Host-', ''), value]))
    secure.jar.clear()
    for (const [name, value] of older) secure.jar.set(name, value)
    expect((await secure.postJson('/auth/logout', {}, {})).status).toBe(403)
    const planted = { cookie: `parley_session=${session}; __Host-parley_session=planted.x; parley_csrf=planted` }
    expect((await secure.postJson('/auth/logout', {}, { ...csrf, ...planted })).status).toBe(403)
    expect((await secure.postJson('/auth/logout', {}, csrf)).status).toBe(200)
  })

  test('starts a new session even if the browser sends a session cookie', async () => {
    const planted = 'parley_session=planted.by-somebody'
    const { cookies } = await browser.postJson(
      '/auth/login',
      { login: 'ada', password: 'correct horse' },
      { cookie: planted },
    )
    expect(cookies[0]).not.toContain('planted')
    const again = await login()
    expect(again.cookies[0]).not.toBe(cookies[0])
  })

  test('responds to a wrong password and to an unknown login in the same way', async () => {
    const answers = [await login({ login: 'ada', password: 'no' }), await login({ login: 'nobody', password: 'no' })]
    for (const answer of answers) {
      expect(statusAndBody(answer)).toEqual([401, { error: 'invalid credentials' }])
      expect(answer.cookies).toEqual([])
    }
  })

  test.each([
    ['a body that is not JSON', 'nonsense', 400],
    ['a list', '[]', 400],
    ['a body without a password', { login: 'ada' }, 400],
    ['a password that is not a string', { login: 'ada', password: 7 }, 400],
    ['a body that is too long', JSON.stringify({ login: 'ada', password: 'x'.repeat(70_000) }), 413],
  ])('refuses %s', async (_, body, status) => {
    const answer = await browser.postJson('/auth/login', body)
    expect(statusAndBody(answer)).toEqual([status, { error: expect.any(String) }])
    expect(env.accounts.requests('passwordLogin')).toEqual([])
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'refuses the content type "%s", which any site can send without a preflight',
    async (type) => {
      const body = JSON.stringify({ login: 'ada', password: 'correct horse' })
      const answer = await browser.send('POST', '/auth/login', body, { 'content-type': type })
      expect(answer.status).toBe(415)
      expect(answer.cookies).toEqual([])
    },
  )

  test('requires POST', async () => {
    const answer = await browser.get('/auth/login')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})

describe('registration', () => {
  test('accepts an address, a code and an account, and signs in', async () => {
    env.accounts.answers.set('verifyRegistrationCode', () => ({ completionToken: 'RG1' }))
    env.accounts.answers.set('completeRegistration', () => env.accounts.session('U-new', 'newbie'))
    const email = 'new@example.org'
    expect(statusAndBody(await browser.postJson('/auth/register', { email }))).toEqual([
      200,
      { message: expect.any(String) },
    ])
    expect(statusAndBody(await browser.postJson('/auth/register/verify-code', { email, code: '123456' }))).toEqual([
      200,
      { completionToken: 'RG1' },
    ])
    const account = { token: 'RG1', login: 'newbie', password: 'long enough', passwordConfirmation: 'long enough' }
    const answer = await browser.postJson('/auth/register/complete', account)
    expect(statusAndBody(answer)).toEqual([
      200,
      { success: true, user: { id: 'U-new', login: 'newbie' }, token: expect.any(String) },
    ])
    expect(browser.jar.has('parley_session')).toBe(true)
    expect(env.accounts.requested.map(({ method, request }) => [method, request])).toMatchObject([
      ['requestRegistrationCode', { email }],
      ['verifyRegistrationCode', { email, code: '123456' }],
      ['completeRegistration', { completionToken: 'RG1', login: 'newbie', password: 'long enough' }],
    ])
  })

  test('with an invite shows its address, creates the account and signs in', async () => {
    env.accounts.answers.set('getInvite', () => ({ email: 'new@example.org' }))
    env.accounts.answers.set('acceptInvite', () => ({ ...env.accounts.session('U-new', 'newbie'), token: '' }))
    expect(statusAndBody(await browser.postJson('/auth/invite', { token: 'IN1' }))).toEqual([
      200,
      { email: 'new@example.org' },
    ])
    const account = { token: 'IN1', login: 'newbie', password: 'long enough', passwordConfirmation: 'long enough' }
    const answer = await browser.postJson('/auth/invite/accept', { ...account, cookieOnly: true })
    expect(statusAndBody(answer)).toEqual([200, { success: true, user: { id: 'U-new', login: 'newbie' } }])
    expect(browser.jar.has('parley_session')).toBe(true)
    expect(env.accounts.requests('acceptInvite')).toMatchObject([
      { token: 'IN1', login: 'newbie', password: 'long enough', cookieOnly: true },
    ])
    const mistyped = await browser.postJson('/auth/invite/accept', { ...account, passwordConfirmation: 'other' })
    expect(mistyped.status).toBe(400)
  })
})

describe('the gateway', () => {
  const complete = { token: 't', login: 'l', password: 'p', passwordConfirmation: 'p' }
  test.each([
    ['/auth/register', { email: 'a@b' }, 'requestRegistrationCode', Code.PermissionDenied, 403],
    ['/auth/register', { email: 'a@b' }, 'requestRegistrationCode', Code.FailedPrecondition, 503],
    ['/auth/register', { email: 'a@b' }, 'requestRegistrationCode', Code.Unavailable, 503],
    ['/auth/register', { email: 'a@b' }, 'requestRegistrationCode', Code.InvalidArgument, 400],
    ['/auth/register/verify-code', { email: 'a@b', code: '1' }, 'verifyRegistrationCode', Code.InvalidArgument, 400],
    ['/auth/register/complete', complete, 'completeRegistration', Code.InvalidArgument, 400],
    ['/auth/register/complete', complete, 'completeRegistration', Code.AlreadyExists, 409],
    ['/auth/register/complete', complete, 'completeRegistration', Code.ResourceExhausted, 403],
    ['/auth/invite', { token: 't' }, 'getInvite', Code.NotFound, 404],
    ['/auth/invite/accept', complete, 'acceptInvite', Code.NotFound, 404],
    ['/auth/invite/accept', complete, 'acceptInvite', Code.ResourceExhausted, 403],
    ['/auth/reset-password', { token: 't', password: 'p' }, 'resetPassword', Code.InvalidArgument, 400],
  ] as const)(
    'at %s with %j: if %s fails with code %i, the response has status %i and the reason',
    async (path, body, method, code, status) => {
      env.accounts.refuse(method, code, 'the reason')
      expect(statusAndBody(await browser.postJson(path, body))).toEqual([status, { error: 'the reason' }])
    },
  )

  test('answers 500 for an unsent mail, and 503 in an outage', async () => {
    const register = () => browser.postJson('/auth/register', { email: 'a@b' })
    env.accounts.refuse('requestRegistrationCode', Code.Unavailable, 'no mail', { 'parley-failed': 'mail' })
    expect(statusAndBody(await register())).toEqual([500, { error: 'no mail' }])
    env.accounts.refuse('requestRegistrationCode', Code.Unavailable, 'no database')
    const answer = await register()
    expect(statusAndBody(answer)).toEqual([503, { error: 'no database' }])
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('answers 504 if accounts is too slow', async () => {
    env.accounts.refuse('requestRegistrationCode', Code.DeadlineExceeded, 'too slow')
    const answer = await browser.postJson('/auth/register', { email: 'a@b' })
    expect(statusAndBody(answer)).toEqual([504, { error: 'too slow' }])
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('answers 429 with a time to retry if accounts is busy', async () => {
    env.accounts.refuse('completeRegistration', Code.ResourceExhausted, 'busy', { 'retry-after': '1' })
    const answer = await browser.postJson('/auth/register/complete', complete)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1'])
  })

  test.each([
    ['/auth/register', {}],
    ['/auth/register', { email: 7 }],
    ['/auth/register/verify-code', { email: 'a@b' }],
    ['/auth/register/complete', { ...complete, passwordConfirmation: 'other' }],
    ['/auth/register/complete', { token: 't', login: 'l', password: 'p' }],
    ['/auth/forgot-password', {}],
    ['/auth/reset-password', { token: 't' }],
    ['/auth/revoke-token', {}],
  ])('at %s refuses %j', async (path, body) => {
    expect(statusAndBody(await browser.postJson(path, body))).toEqual([400, { error: expect.any(String) }])
    expect(env.accounts.requested).toEqual([])
  })

  test('does not reveal the text of an internal error', async () => {
    env.accounts.refuse('requestRegistrationCode', Code.Internal, 'table emails is on fire')
    const answer = await browser.postJson('/auth/register', { email: 'a@b' })
    expect(statusAndBody(answer)).toEqual([500, { error: 'internal server error' }])
  })
})

describe('a forgotten password', () => {
  test('is reset with the token of a mailed link', async () => {
    env.accounts.answers.set('resetPassword', () => ({ userId: 'U-ada' }))
    const requested = await browser.postJson('/auth/forgot-password', { email: 'ada@example.org' })
    const reset = await browser.postJson('/auth/reset-password', { token: 'PR1', password: 'a new one' })
    for (const answer of [requested, reset])
      expect(statusAndBody(answer)).toEqual([200, { message: expect.any(String) }])
    expect(reset.cookies).toEqual([])
    expect(env.accounts.requests('resetPassword')).toMatchObject([{ token: 'PR1', password: 'a new one' }])
  })
})

describe('an e-mail address to verify', () => {
  const paths = ['/auth/verify-email/request-code', '/auth/verify-email/confirm-code'] as const
  const body = { email: 'ada@example.org', code: '123456' }

  test('requires a signed-in user', async () => {
    for (const path of paths) expect((await browser.postJson(path, body)).status).toBe(401)
    expect(env.accounts.requested).toEqual([])
  })

  test('is verified for a user with a token or a cookie', async () => {
    const bearer = { authorization: `Bearer ${env.accounts.credential('U-bob')}` }
    expect(statusAndBody(await browser.postJson(paths[0], body, bearer))).toEqual([
      200,
      { message: expect.any(String) },
    ])
    await login()
    expect(statusAndBody(await browser.postJson(paths[1], body, browser.csrf))).toEqual([200, { success: true }])
    expect(env.accounts.requests('requestEmailCode')).toMatchObject([{ userId: 'U-bob', email: body.email }])
    expect(env.accounts.requests('confirmEmailCode')).toMatchObject([{ userId: 'U-ada', ...body }])
  })

  test.each([
    [Code.Unavailable, 503],
    [Code.FailedPrecondition, 503],
    [Code.ResourceExhausted, 429],
  ])(
    'gets no code if requestEmailCode fails with code %s: the response has status %s and the reason',
    async (code, status) => {
      env.accounts.refuse('requestEmailCode', code, 'the reason')
      const bearer = { authorization: `Bearer ${env.accounts.credential('U-bob')}` }
      expect(statusAndBody(await browser.postJson(paths[0], body, bearer))).toEqual([status, { error: 'the reason' }])
    },
  )

  test('is passed to accounts with the id of the credential, and with the current password if one is sent', async () => {
    const token = env.accounts.credential('U-bob')
    const { credentialId } = env.accounts.callers.get(digestOf(token)) ?? {}
    const bearer = { authorization: `Bearer ${token}` }
    for (const path of paths) {
      await browser.postJson(path, body, bearer)
      await browser.postJson(path, { ...body, current_password: 'a password' }, bearer)
    }
    for (const method of ['requestEmailCode', 'confirmEmailCode'])
      expect(env.accounts.requests(method)).toMatchObject([
        { credentialId, currentPassword: '' },
        { credentialId, currentPassword: 'a password' },
      ])
  })

  test.each([
    [paths[0], 'requestEmailCode'],
    [paths[1], 'confirmEmailCode'],
  ] as const)('is refused at %s with the reason if the session is not fresh', async (path, method) => {
    const text = 'sign in again'
    env.accounts.refuse(method, Code.FailedPrecondition, text, { 'parley-needs': 'fresh-credential' })
    const bearer = { authorization: `Bearer ${env.accounts.credential('U-bob')}` }
    const answer = await browser.postJson(path, body, bearer)
    expect(statusAndBody(answer)).toEqual([400, { error: text }])
    expect(answer.headers.get('parley-needs')).toBe('fresh-credential')
  })

  test('is refused for tokens of other web clients', async () => {
    const bearer = { authorization: `Bearer ${env.accounts.otherClientsToken('U-bob')}` }
    for (const path of paths) expect((await browser.postJson(path, body, bearer)).status).toBe(403)
    expect(env.accounts.requests('requestEmailCode')).toEqual([])
    expect(env.accounts.requests('confirmEmailCode')).toEqual([])
  })

  test.each([
    [paths[0], 'requestEmailCode', Code.ResourceExhausted, 429],
    [paths[0], 'requestEmailCode', Code.FailedPrecondition, 503],
    [paths[1], 'confirmEmailCode', Code.InvalidArgument, 400],
    [paths[1], 'confirmEmailCode', Code.AlreadyExists, 409],
  ] as const)(
    'is refused at %s if %s fails with code %i: the response has status %i',
    async (path, method, code, status) => {
      env.accounts.refuse(method, code)
      const bearer = { authorization: `Bearer ${env.accounts.credential('U-bob')}` }
      expect((await browser.postJson(path, body, bearer)).status).toBe(status)
    },
  )
})

describe('POST /auth/logout', () => {
  test('ends the presented token and session, and deletes the session and CSRF cookies', async () => {
    const { token } = jsonOf(await login())
    const answer = await browser.postJson('/auth/logout', {}, { authorization: `Bearer ${String(token)}` })
    expect(statusAndBody(answer)).toEqual([200, { success: true }])
    expect([...browser.jar.keys()]).toEqual(['parley_known'])
    const [{ digests, reason } = {}] = env.accounts.requests('endCredentials')
    expect(reason).toBe('logout')
    expect((digests as Uint8Array[]).map((digest) => Buffer.from(digest).toString('hex'))).toContain(
      digestOf(String(token)),
    )
    expect(digests).toHaveLength(2)
  })

  test('succeeds without a session', async () => {
    expect(statusAndBody(await browser.postJson('/auth/logout', ''))).toEqual([200, { success: true }])
    expect(env.accounts.requests('endCredentials')).toEqual([])
  })
})

test('POST /auth/revoke-token ends the token in the body, and also succeeds for an unknown one', async () => {
  const token = env.accounts.credential('U-ada')
  for (const one of [token, 'prl_ATunknown'])
    expect(statusAndBody(await browser.postJson('/auth/revoke-token', { token: one }))).toEqual([
      200,
      { success: true },
    ])
  expect(env.accounts.callers.has(digestOf(token))).toBe(false)
})

describe('a session cookie', () => {
  const unsafe = [
    '/auth/logout',
    '/auth/revoke-token',
    '/auth/verify-email/request-code',
    '/oauth/consent/approve',
    '/oauth/consent/deny',
  ]

  test.each(unsafe)('does nothing at %s without the CSRF token', async (path) => {
    await login()
    const mine = browser.csrf['x-csrf-token'] ?? ''
    const others = gateway.browser()
    await others.postJson('/auth/login', { login: 'ada', password: 'correct horse' })
    env.accounts.requested.length = 0
    for (const token of [undefined, '', 'x', `${mine}x`, others.csrf['x-csrf-token'] ?? ''])
      expect(
        (
          await browser.postJson(
            path,
            { email: 'a@b', token: 't' },
            token === undefined ? {} : { 'x-csrf-token': token },
          )
        ).status,
      ).toBe(403)
    const mixed = { cookie: browser.cookie.replace(mine, others.jar.get('parley_csrf') ?? ''), ...others.csrf }
    expect((await browser.postJson(path, { email: 'a@b', token: 't' }, mixed)).status).toBe(403)
    expect(env.accounts.requested).toEqual([])
  })

  test('is ignored when a valid bearer token is sent', async () => {
    await login()
    const bearer = { authorization: `Bearer ${env.accounts.credential('U-bob')}` }
    expect((await browser.postJson('/auth/verify-email/request-code', { email: 'a@b' }, bearer)).status).toBe(200)
  })

  test('is checked, with its CSRF token, if the bearer token is invalid', async () => {
    await login()
    const invalid = { authorization: 'Bearer prl_ATinvalid' }
    const path = '/auth/verify-email/request-code'
    expect((await browser.postJson(path, { email: 'a@b' }, invalid)).status).toBe(403)
    expect((await browser.postJson(path, { email: 'a@b' }, { ...invalid, ...browser.csrf })).status).toBe(200)
  })

  test('that cannot be checked gets status 503', async () => {
    await login()
    env.accounts.isUnavailable = true
    for (const headers of [{}, { authorization: 'Bearer prl_ATunseen' }])
      expect((await browser.postJson('/auth/verify-email/request-code', { email: 'a@b' }, headers)).status).toBe(503)
    env.accounts.isUnavailable = false
  })
})

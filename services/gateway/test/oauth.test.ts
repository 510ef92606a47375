import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { jsonOf, type BrowserAnswer, type Browser } from '@parley/testkit'
import { useEnv, sessionCookie, type Gateway } from './_env.ts'

const env = useEnv()
let gateway: Gateway
let browser: Browser
beforeAll(async () => {
  gateway = await env.start({
    PARLEY_WEBSERVER_ALLOWED_ORIGINS: 'https://listed.example',
    PARLEY_WEBSERVER_OAUTH_REDIRECT_ORIGINS: 'https://client.example',
  })
})
beforeEach(() => {
  browser = gateway.browser()
  env.accounts.answers.clear()
  env.accounts.requested.length = 0
  env.accounts.answers.set('issueAuthorizationCode', () => ({ code: 'prl_AC1' }))
})

const iss = 'http://chat.example.org'
const challenge = createHash('sha256').update('verifier').digest('base64url')
const good = {
  response_type: 'code',
  redirect_uri: 'https://client.example/back?x=1',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 's&1',
}
const shownClient = { redirectUri: good.redirect_uri }
const authorizePath = (changes: Record<string, string | undefined> = {}) => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...good, ...changes })) if (value !== undefined) query.set(name, value)
  return `/oauth/authorize?${query.toString()}`
}
const authorize = (changes?: Record<string, string | undefined>) => browser.get(authorizePath(changes))
const signIn = (userId = 'U-ada', who = browser) => {
  const cookie = sessionCookie(env.accounts.credential(userId))
  who.jar.set('parley_session', cookie.slice('parley_session='.length))
}
/** Sets the CSRF cookie, too. */
const signInWithPassword = (who = browser) => {
  env.accounts.passwords.set('ada', { password: 'correct horse', userId: 'U-ada' })
  return who.postJson('/auth/login', { login: 'ada', password: 'correct horse' })
}
const grantConsent = () => env.accounts.answers.set('hasConsent', () => ({ granted: true }))
const parts = (location: unknown) => {
  const url = new URL(String(location))
  return [url.origin + url.pathname, Object.fromEntries(url.searchParams)]
}

describe('GET /oauth/authorize', () => {
  test('redirects a browser without a session to /login, with the path to return to', async () => {
    const { status, location } = await authorize()
    expect(status).toBe(302)
    expect(new URL(location ?? '', gateway.url).pathname).toBe('/login')
    expect(new URL(location ?? '', gateway.url).searchParams.get('redirect')).toBe(authorizePath())
  })

  test('redirects to the client, with a code, if the user has consented', async () => {
    signIn()
    grantConsent()
    const { status, location } = await authorize()
    expect(status).toBe(302)
    expect(parts(location)).toEqual(['https://client.example/back', { x: '1', code: 'prl_AC1', state: 's&1', iss }])
    expect(env.accounts.requests('hasConsent')).toMatchObject([{ userId: 'U-ada', origin: 'https://client.example' }])
    expect(env.accounts.requests('issueAuthorizationCode')).toMatchObject([
      {
        ...{ userId: 'U-ada', redirectUri: good.redirect_uri, codeChallenge: challenge },
        ...{ credentialId: expect.stringMatching(/^S/), consentedNow: false },
      },
    ])
  })

  test('does not accept a bearer token', async () => {
    const authorization = `Bearer ${env.accounts.credential('U-ada')}`
    const { location } = await browser.get(authorizePath(), { authorization })
    expect(location).toMatch(/^\/login\?/)
  })

  test.each([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a missing response type', { response_type: undefined }, 'unsupported_response_type'],
    ['missing PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE without its method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a malformed challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['a state that is too long', { state: 'x'.repeat(2_000) }, 'invalid_request'],
  ])('reports %s to the client', async (_, changes, error) => {
    signIn()
    grantConsent()
    const [target, answer] = parts((await authorize(changes)).location)
    expect([target, answer]).toEqual(['https://client.example/back', expect.objectContaining({ error, iss })])
    expect(env.accounts.requests('issueAuthorizationCode')).toEqual([])
  })

  test.each([
    ...[undefined, '', '/back', 'https://other.example/', 'http://client.example/', 'https://client.example:444/'],
    ...['https://client.example.evil.example/', 'https://client.example@evil.example/', 'https://u:p@client.example/'],
    ...[
      'https://client.example/#x',
      'https://client.example\\@evil.example/',
      'javascript://client.example/%0aalert(1)',
    ],
    ...['ftp://127.0.0.1/', 'http://127.0.0.1.evil.example/', 'http://localhost.evil.example/', '//client.example/'],
    ...['https://client.example/\n', ' https://client.example/', `https://client.example/${'x'.repeat(1_100)}`],
  ])('does not redirect to %j', async (redirectUri) => {
    signIn()
    grantConsent()
    const answer = await authorize({ redirect_uri: redirectUri })
    expect([answer.status, answer.location]).toEqual([400, null])
    expect(env.accounts.requested).toEqual([])
  })

  test.each([
    ...['http://127.0.0.1:5173/back', 'http://localhost/', 'http://[::1]:80/', 'https://listed.example/'],
    ...['http://chat.example.org/app', 'https://client.example/'],
  ])('accepts the redirect URL %s', async (redirectUri) => {
    signIn()
    grantConsent()
    expect((await authorize({ redirect_uri: redirectUri })).location).toContain('code=prl_AC1')
  })

  test('accepts any https client, but no http client, if the operator allows all origins', async () => {
    const open = (await env.start({ PARLEY_WEBSERVER_OAUTH_REDIRECT_ORIGINS: '*' })).browser()
    signIn('U-ada', open)
    grantConsent()
    expect((await open.get(authorizePath({ redirect_uri: 'https://any.example/' }))).status).toBe(302)
    expect((await open.get(authorizePath({ redirect_uri: 'http://any.example/' }))).status).toBe(400)
  })

  test('refuses duplicate parameters', async () => {
    signIn()
    grantConsent()
    const twice = await browser.get(`${authorizePath()}&state=other`)
    expect(parts(twice.location)[1]).toMatchObject({ error: 'invalid_request' })
    expect((await browser.get(`${authorizePath()}&redirect_uri=https://listed.example/`)).status).toBe(400)
  })
})

describe('consent', () => {
  test('is requested on a page of the web client; accounts learns that it was granted, and issues a code', async () => {
    await signInWithPassword()
    expect((await authorize()).location).toBe('/oauth/consent')
    expect(browser.page?.cookies[0]).toMatch(/^parley_oauth=\S+; Path=\/; SameSite=Lax; HttpOnly; Max-Age=600$/)
    await browser.postJson('/oauth/consent/approve', shownClient, browser.csrf)
    expect(browser.jar.has('parley_oauth')).toBe(false)
    expect(env.accounts.requests('decideConsent')).toMatchObject([
      { userId: 'U-ada', origin: 'https://client.example', granted: true, credentialId: expect.stringMatching(/^S/) },
    ])
    expect(env.accounts.requests('issueAuthorizationCode')).toMatchObject([
      { consentedNow: true, credentialId: expect.stringMatching(/^S/) },
    ])
  })

  test('yields no code when denied', async () => {
    await signInWithPassword()
    await authorize()
    await browser.postJson('/oauth/consent/deny', shownClient, browser.csrf)
    expect(env.accounts.requests('decideConsent')).toMatchObject([{ granted: false }])
    expect(env.accounts.requests('issueAuthorizationCode')).toEqual([])
  })

  test('applies only to the client that the page showed', async () => {
    await signInWithPassword()
    await authorize({ redirect_uri: 'https://listed.example/' })
    const shown = { redirectUri: good.redirect_uri }
    expect((await browser.postJson('/oauth/consent/approve', shown, browser.csrf)).status).toBe(400)
    expect((await browser.postJson('/oauth/consent/approve', 'nonsense', browser.csrf)).status).toBe(400)
    expect(env.accounts.requests('decideConsent')).toEqual([])
    expect((await browser.postJson('/oauth/consent/approve', {}, browser.csrf)).status).toBe(400)
    expect((await browser.send('POST', '/oauth/consent/approve', '', browser.csrf)).status).toBe(415)
    expect((await browser.postJson('/oauth/consent/deny', shown, browser.csrf)).status).toBe(400)
    expect(env.accounts.requests('decideConsent')).toEqual([])
    const listed = { redirectUri: 'https://listed.example/' }
    expect((await browser.postJson('/oauth/consent/approve', listed, browser.csrf)).status).toBe(200)
  })

  test('is presented to the web client and decided by it in JSON, once', async () => {
    await signInWithPassword()
    await authorize()
    expect(jsonOf(await browser.get('/oauth/consent/request'))).toEqual({
      redirectUri: good.redirect_uri,
      redirectOrigin: 'https://client.example',
    })
    const approved = await browser.postJson('/oauth/consent/approve', shownClient, browser.csrf)
    expect(parts(jsonOf(approved).redirectUrl)).toEqual([
      'https://client.example/back',
      { x: '1', code: 'prl_AC1', state: 's&1', iss },
    ])
    expect((await browser.postJson('/oauth/consent/approve', shownClient, browser.csrf)).status).toBe(400)
    await authorize()
    const denied = await browser.postJson('/oauth/consent/deny', shownClient, browser.csrf)
    expect(parts(jsonOf(denied).redirectUrl)[1]).toEqual({ x: '1', error: 'access_denied', state: 's&1', iss })
  })

  test('requires the session cookie, not a token', async () => {
    const authorization = `Bearer ${env.accounts.credential('U-ada')}`
    expect((await browser.get('/oauth/consent/request', { authorization })).status).toBe(401)
    for (const path of ['/oauth/consent/approve', '/oauth/consent/deny'])
      expect((await browser.postJson(path, shownClient, { authorization })).status).toBe(401)
  })

  test('is refused for another session or a forged request', async () => {
    await signInWithPassword()
    await authorize()
    const request = browser.jar.get('parley_oauth') ?? ''
    const other = gateway.browser()
    await signInWithPassword(other)
    const [text = '', signature = ''] = request.split('.')
    const kept = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>
    const evil = Buffer.from(JSON.stringify({ ...kept, redirectUri: 'https://evil.example/' })).toString('base64url')
    for (const [who, cookie] of [
      [other, request],
      [browser, `${evil}.${signature}`],
      [browser, `${text}.`],
      [browser, 'nonsense'],
    ] as const) {
      who.jar.set('parley_oauth', cookie)
      expect((await who.get('/oauth/consent/request')).status).toBe(400)
      expect((await who.postJson('/oauth/consent/approve', shownClient, who.csrf)).status).toBe(400)
    }
    expect(env.accounts.requests('decideConsent')).toEqual([])
  })
})

describe('POST /oauth/token', () => {
  const fields = {
    grant_type: 'authorization_code',
    code: 'prl_AC1',
    code_verifier: 'verifier',
    redirect_uri: good.redirect_uri,
  }
  const statusAndBody = (answer: BrowserAnswer) => [answer.status, jsonOf(answer)]
  beforeEach(() => {
    env.accounts.answers.set('exchangeAuthorizationCode', () => ({
      ...{ userId: 'U-ada', login: 'ada', displayName: 'Ada L', token: 'prl_AT1' },
    }))
  })

  test.each(['form', 'json'])('gives a token for a code that is sent as %s', async (form) => {
    const answer = await (form === 'form'
      ? browser.postForm('/oauth/token', fields, { origin: 'https://any.example' })
      : browser.postJson('/oauth/token', fields, { origin: 'https://any.example' }))
    expect(statusAndBody(answer)).toEqual([
      200,
      { access_token: 'prl_AT1', token_type: 'Bearer', user: { id: 'U-ada', login: 'ada', displayName: 'Ada L' } },
    ])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.cookies).toEqual([])
    expect(env.accounts.requests('exchangeAuthorizationCode')).toMatchObject([
      { code: 'prl_AC1', codeVerifier: 'verifier', redirectUri: good.redirect_uri },
    ])
  })

  test('accepts requests from pages of any origin', async () => {
    const headers = { origin: 'https://any.example', 'access-control-request-method': 'POST' }
    const answer = await browser.send('OPTIONS', '/oauth/token', undefined, headers)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  })

  test.each([
    ['an empty request', {}, 'invalid_request'],
    ['another grant type', { ...fields, grant_type: 'password' }, 'unsupported_grant_type'],
    ['a request without a code', { ...fields, code: '' }, 'invalid_request'],
    ['a request without a verifier', { ...fields, code_verifier: '' }, 'invalid_request'],
    ['a request without a redirect URL', { ...fields, redirect_uri: '' }, 'invalid_request'],
  ])('refuses %s', async (_, body, error) => {
    for (const answer of [await browser.postForm('/oauth/token', body), await browser.postJson('/oauth/token', body)])
      expect(statusAndBody(answer)).toEqual([400, { error, error_description: expect.any(String) }])
  })

  test('refuses malformed requests', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const answer of [
      await browser.postJson('/oauth/token', 'nonsense'),
      await browser.postJson('/oauth/token', '[]'),
      await browser.send('POST', '/oauth/token', `${new URLSearchParams(fields).toString()}&code=2`, form),
      await browser.postJson('/oauth/token', `{"\\u0063ode":"2",${JSON.stringify(fields).slice(1)}`),
      await browser.send('POST', '/oauth/token', '{}', { 'content-type': 'text/plain' }),
    ])
      expect(statusAndBody(answer)).toEqual([400, { error: 'invalid_request', error_description: expect.any(String) }])
    expect((await browser.get('/oauth/token')).status).toBe(405)
  })

  test.each([
    [Code.InvalidArgument, 400, 'invalid_grant'],
    [Code.Internal, 500, 'server_error'],
    [Code.Unavailable, 503, 'server_error'],
  ])('translates error code %i to status %i and the OAuth error %s', async (code, status, error) => {
    env.accounts.refuse('exchangeAuthorizationCode', code)
    expect(statusAndBody(await browser.postForm('/oauth/token', fields))).toEqual([
      status,
      { error, error_description: expect.any(String) },
    ])
  })
})

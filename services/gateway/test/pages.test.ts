import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import type { Browser, BrowserAnswer } from '@parley/testkit'
import { openEnv, type Env, type Gateway } from './_env.ts'

let env: Env
let gateway: Gateway
let browser: Browser
beforeAll(async () => {
  env = await openEnv()
  env.server.providers.push({ id: 'a b', type: 'oidc', label: 'Sign in with <Corp>' })
  gateway = await env.start()
})
afterAll(async () => env[Symbol.asyncDispose]())
beforeEach(() => {
  browser = gateway.browser()
  env.accounts.answers.clear()
  env.accounts.asked.length = 0
  env.accounts.passwords.set('ada', { password: 'correct horse', userId: 'U-ada' })
})

const credentials = { identifier: 'ada', password: 'correct horse' }

function expectPage(answer: BrowserAnswer, status = 200) {
  expect(answer.status).toBe(status)
  const policy = answer.headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
    expect(policy).toContain(rule)
  expect(policy).not.toMatch(/unsafe|script-src|\*/)
  expect(answer.headers.get('x-frame-options')).toBe('DENY')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.text).not.toMatch(/<script|\son\w+=|style="/i)
  expect(answer.text).toMatch(/<html lang="en">[\s\S]*<meta name="viewport"/)
}

describe('every page', () => {
  test.each(['/login', '/register', '/reset-password?token=PR1', '/sso/confirm?token=x', '/oauth/authorize'])(
    '%s allows no script and no frame',
    async (path) => {
      const answer = await browser.get(path)
      expectPage(answer, answer.status)
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    },
  )

  test('names each field it asks for', async () => {
    for (const path of ['/login', '/register', '/reset-password?token=PR1']) {
      const { text } = await browser.get(path)
      for (const [label] of text.matchAll(/<label>[\s\S]*?<\/label>/g)) expect(label).toMatch(/<span>[^<]+<\/span>/)
      const visible = text.match(/<input (?!type="hidden")/g)?.length
      expect(text.match(/<label>/g)?.length).toBe(visible)
    }
  })

  test('is for GET and forms', async () => {
    expect((await browser.send('DELETE', '/login')).headers.get('allow')).toBe('GET, HEAD, POST')
    expect((await browser.get('/register/complete')).status).toBe(405)
    expect((await browser.send('HEAD', '/login')).status).toBe(200)
  })
})

describe('/login', () => {
  test('shows the server, its providers and the ways in, escaped', async () => {
    const { text } = await browser.get('/login?redirect=/rooms')
    expect(text).toContain('Sign in to Lodge &lt;&amp;&gt;')
    expect(text).toContain('Sign in with &lt;Corp&gt;')
    expect(text).toContain('href="/auth/providers/a%20b?redirect=%2Frooms"')
    for (const action of ['/login', '/register', '/forgot-password']) expect(text).toContain(`action="${action}"`)
  })

  test.each([
    ['provider_not_found', 'not available'],
    ['provider_failed', 'did not work'],
    ['provider_denied', 'declined'],
    ['external_identity_unlinked', 'No account is linked'],
    ['authentication_required', 'Sign in first'],
    ['<b>anything else', 'did not work'],
    ['constructor', 'did not work'],
    ['__proto__', 'did not work'],
  ])('explains the error %s', async (error, text) => {
    const page = await browser.get(`/login?error=${encodeURIComponent(error)}`)
    expect(page.text).toMatch(new RegExp(`role="alert">[^<]*${text}`))
    expect(page.text).not.toContain('<b>')
  })

  test('signs in and goes on', async () => {
    await browser.get('/login?redirect=/rooms')
    const answer = await browser.submit('/login', credentials)
    expect([answer.status, answer.location]).toEqual([303, '/rooms'])
    expect(browser.jar.has('parley_session')).toBe(true)
  })

  test('goes on to another client by a navigation of its own, which form-action does not hold', async () => {
    const path = '/oauth/authorize?redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F&state=%22%3E'
    await browser.get(`/login?redirect=${encodeURIComponent(path)}`)
    const answer = await browser.submit('/login', credentials)
    expectPage(answer)
    expect(answer.text).toContain(`content="0; url=${path.replaceAll('&', '&amp;')}"`)
  })

  test('says that a pair is wrong, and keeps what was typed but the password', async () => {
    await browser.get('/login?redirect=/rooms')
    const answer = await browser.submit('/login', { identifier: '"ada"', password: 'wrong secret' })
    expectPage(answer, 401)
    expect(answer.text).toContain('role="alert"')
    expect(answer.text).toContain('value="&quot;ada&quot;"')
    expect(answer.text).toContain('name="redirect" value="/rooms"')
    expect(answer.text).not.toContain('wrong secret')
    expect(browser.jar.has('parley_session')).toBe(false)
    expect((await browser.submit('/login', credentials)).status).toBe(303)
  })

  test.each([
    ...[
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/%5cevil.example',
      '/.//evil.example',
      'javascript:x',
    ],
  ])('never goes on to %s', async (redirect) => {
    const page = await browser.get(`/login?redirect=${encodeURIComponent(redirect)}`)
    expect(page.text).not.toContain('evil')
    expect((await browser.submit('/login', { ...credentials, redirect })).location).toBe('/')
  })
})

describe('a form', () => {
  test('of another site signs nobody in', async () => {
    await browser.get('/login')
    const own = await browser.submit('/login', credentials, { origin: gateway.url })
    expect(own.status).toBe(303)
    for (const origin of ['https://evil.example', 'null', gateway.url.replace(/\d+$/, '1')]) {
      await browser.get('/login')
      expectPage(await browser.submit('/login', credentials, { origin }), 403)
    }
  })

  test('without a token of this browser signs nobody in', async () => {
    const other = gateway.browser()
    await other.get('/login')
    const stolen = /name="form_token" value="([^"]+)"/.exec(other.page?.text ?? '')?.[1] ?? ''
    expect(stolen).not.toBe('')
    await browser.get('/login')
    for (const form_token of ['', 'x', stolen])
      expect((await browser.postForm('/login', { ...credentials, form_token })).status).toBe(403)
    expect((await gateway.browser().postForm('/login', { ...credentials, form_token: stolen })).status).toBe(403)
    expect(env.accounts.asked).toEqual([])
  })

  test('that is none, too long or has a field twice is refused', async () => {
    expect((await browser.postJson('/login', credentials)).status).toBe(415)
    expect((await browser.postForm('/login', { x: 'y'.repeat(70_000) })).status).toBe(413)
    const twice = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await browser.send('POST', '/login', 'a=1&a=2', twice)).status).toBe(400)
  })

  test('handle is out of reach of scripts, for this site and for 15 minutes', async () => {
    const { cookies } = await browser.get('/login')
    expect(cookies).toEqual([
      expect.stringMatching(/^parley_browser=\w{43}; Path=\/; SameSite=Lax; HttpOnly; Max-Age=900$/),
    ])
    const secure = await env.start({ PARLEY_WEBSERVER_URL: 'https://chat.example.org' })
    expect((await secure.browser().get('/login')).cookies[0]).toMatch(
      /^__Host-parley_browser=\w{43}; Path=\/; .*Secure/,
    )
  })
})

describe('registration', () => {
  test('goes from address to code to account, and signs in', async () => {
    env.accounts.answers.set('verifyRegistrationCode', () => ({ completionToken: 'RG1' }))
    env.accounts.answers.set('completeRegistration', () => env.accounts.session('U-new'))
    await browser.get('/register?redirect=/rooms')
    expectPage(await browser.submit('/register', { email: 'new@example.org' }))
    expectPage(await browser.submit('/register/code', { code: ' 123456 ' }))
    const wishes = { login: 'newbie', password: 'long enough', password_confirmation: 'long enough' }
    const answer = await browser.submit('/register/complete', wishes)
    expect([answer.status, answer.location]).toEqual([303, '/rooms'])
    expect(browser.jar.has('parley_session')).toBe(true)
    expect(env.accounts.asked).toMatchObject([
      { request: { email: 'new@example.org' } },
      { request: { email: 'new@example.org', code: '123456' } },
      { request: { completionToken: 'RG1', login: 'newbie', password: 'long enough' } },
    ])
  })

  test('shows a step again with what went wrong', async () => {
    env.accounts.answers.set('verifyRegistrationCode', () => ({ completionToken: 'RG1' }))
    env.accounts.refuse('completeRegistration', Code.AlreadyExists, 'the login is taken')
    await browser.get('/register')
    await browser.submit('/register', { email: 'new@example.org' })
    await browser.submit('/register/code', { code: '123456' })
    const typed = { login: 'taken', password: 'long enough', password_confirmation: 'other' }
    const differing = await browser.submit('/register/complete', typed)
    expectPage(differing, 400)
    const taken = await browser.submit('/register/complete', { ...typed, password_confirmation: 'long enough' })
    expectPage(taken, 409)
    expect(taken.text).toMatch(/role="alert">the login is taken[\s\S]*name="login" value="taken"/)
    expect(taken.text).not.toContain('long enough')
  })

  test('is not offered where it is closed', async () => {
    const closed = await openEnv()
    closed.server.registration = false
    const page = (await closed.start()).browser()
    expect((await page.get('/login')).text).not.toContain('action="/register"')
    expectPage(await page.get('/register'), 403)
    await closed[Symbol.asyncDispose]()
  })
})

describe('a forgotten password', () => {
  test('is asked for on the sign-in page, whoever asks', async () => {
    const texts: string[] = []
    for (const email of ['ada@example.org', 'nobody@example.org']) {
      await browser.get('/login')
      texts.push((await browser.submit('/forgot-password', { email })).text)
    }
    expect(texts[0]).toBe(texts[1])
  })

  test('is replaced where the mailed link leads', async () => {
    await browser.get('/reset-password?token=%22PR1')
    const typed = { password: 'a new one', password_confirmation: 'a new one' }
    expectPage(await browser.submit('/reset-password', typed))
    expect(env.accounts.requests('resetPassword')).toMatchObject([{ token: '"PR1', password: 'a new one' }])
    expect(browser.jar.has('parley_session')).toBe(false)
    env.accounts.refuse('resetPassword', Code.InvalidArgument, 'the link is used up')
    await browser.get('/reset-password?token=PR1')
    expectPage(await browser.submit('/reset-password', typed), 400)
  })
})

import { beforeEach, describe, expect, test } from '@jest/globals'
import { MyAccountService, ViewerService } from '@parley/contracts/api'
import { Browser, eventually, jsonOf } from '@parley/testkit'
import { newBrowser, signedInUserId, signInBrowser, viaOtherGateway } from '../src/browsers.ts'
import { fleet } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { newPerson, operate, signIn, type Person } from '../src/people.ts'

let ada: Person
let browser: Browser
beforeEach(async () => {
  ada = await newPerson('ada')
  browser = newBrowser()
})

const copyOf = ({ base, jar }: Browser) => new Browser(base, new Map(jar))

async function expectRefused(kept: Browser, ...tokens: string[]) {
  for (const base of fleet().gateways) {
    await eventually(async () => expect(await signedInUserId(kept.via(base))).toBeUndefined())
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` }
      await eventually(async () =>
        expect((await ada.attempt(ViewerService.method.getViewer, {}, { base, headers })).status).toBe(401),
      )
    }
    const verification = await kept
      .via(base)
      .postJson('/auth/verify-email/request-code', { email: 'a@example.org' }, kept.csrf)
    expect(verification.status).toBe(401)
    expect((await kept.via(base).get('/oauth/consent/request')).status).toBe(401)
  }
}

describe('a session', () => {
  test('that began at one gateway is valid at the other', async () => {
    await signInBrowser(browser, ada)
    for (const each of [browser, viaOtherGateway(browser)]) expect(await signedInUserId(each)).toBe(ada.userId)
  })

  test('cannot be planted: a sign-in never adopts cookies of the browser', async () => {
    const mallory = await newPerson('mallory')
    const planted = newBrowser()
    await signInBrowser(planted, mallory)
    const attackers = copyOf(planted)
    await signInBrowser(planted, ada)
    expect(await signedInUserId(planted)).toBe(ada.userId)
    expect(await signedInUserId(attackers)).toBe(mallory.userId)
    expect(planted.jar.get('parley_session')).not.toBe(attackers.jar.get('parley_session'))
    browser.jar.set('parley_session', 'x'.repeat(43))
    await signInBrowser(browser, ada)
    expect(browser.jar.get('parley_session')).not.toContain('x'.repeat(43))
  })

  test('whose cookie is forged, shortened, unsigned or empty is invalid', async () => {
    await signInBrowser(browser, ada)
    const mine = browser.jar.get('parley_session') ?? ''
    const signature = mine.slice(mine.lastIndexOf('.'))
    for (const forged of [
      `${'a'.repeat(43)}${signature}`,
      mine.slice(0, -1),
      mine.slice(0, mine.lastIndexOf('.')),
      '',
    ]) {
      browser.jar.set('parley_session', forged)
      expect(await signedInUserId(viaOtherGateway(browser))).toBeUndefined()
    }
  })

  test('cannot be used by requests of other sites', async () => {
    await signInBrowser(browser, ada)
    const paths = ['/auth/logout', '/auth/verify-email/request-code', '/oauth/consent/approve', '/oauth/consent/deny']
    const forged = { origin: 'https://evil.example' }
    for (const path of paths) {
      expect((await browser.postJson(path, { email: 'a@example.org' }, forged)).status).toBe(403)
      expect((await browser.postForm(path, { email: 'a@example.org' }, forged)).status).toBe(403)
    }
    const rpc = '/api/connect/svc.api.v1.MyAccountService/DeleteAvatar'
    expect((await browser.postForm(rpc, {}, forged)).status).toBe(415)
    for (const path of ['/auth/login', '/auth/register', '/auth/forgot-password', '/auth/reset-password'])
      expect((await browser.postForm(path, { identifier: 'x', password: 'y' }, forged)).status).toBe(415)
    expect(await signedInUserId(browser)).toBe(ada.userId)
  })
})

describe('session and tokens', () => {
  test('are invalid at both gateways after a log-out that presented them', async () => {
    await signInBrowser(browser, ada)
    for (const each of [browser, viaOtherGateway(browser)]) expect(await signedInUserId(each)).toBe(ada.userId)
    const kept = copyOf(browser)
    const out = await browser.postJson('/auth/logout', {}, { ...browser.csrf, ...ada.authorization })
    expect(out.status).toBe(200)
    expect(browser.jar.has('parley_session')).toBe(false)
    await expectRefused(kept, ada.token)
    expect((await signIn(ada)).userId).toBe(ada.userId)
  })

  test('are independent: revoking a token leaves the session valid', async () => {
    await signInBrowser(browser, ada)
    const answer = await postJson(`${fleet().gateways[1]}/auth/revoke-token`, { token: ada.token })
    expect([answer.status, answer.body]).toEqual([200, { success: true }])
    for (const base of fleet().gateways)
      await eventually(async () =>
        expect((await ada.attempt(ViewerService.method.getViewer, {}, { base })).status).toBe(401),
      )
    expect(await signedInUserId(browser)).toBe(ada.userId)
  })

  test('are invalid at both gateways after a password change, even the token that made it', async () => {
    await signInBrowser(browser, ada)
    expect(await signedInUserId(viaOtherGateway(browser))).toBe(ada.userId)
    const kept = copyOf(browser)
    await ada.call(MyAccountService.method.updatePassword, {
      ...{ password: 'a completely new one', currentPassword: ada.password },
    })
    await expectRefused(kept, ada.token)
    expect((await signIn({ login: ada.login, password: 'a completely new one' })).userId).toBe(ada.userId)
    await expect(signIn(ada)).rejects.toThrow('401')
  })

  test('are invalid at both gateways after the operator has set a password', async () => {
    await signInBrowser(browser, ada)
    const kept = copyOf(browser)
    await operate(['user', 'set-password', '--login', ada.login, '--password-stdin'], 'a completely new one')
    await expectRefused(kept, ada.token)
  })
})

describe('nobody can find out who has an account', () => {
  const answerTo = async (path: string, body: object) => {
    const { status, text, cookies } = await newBrowser().postJson(path, body)
    return { status, text, cookies }
  }

  test('from the response to a sign-in', async () => {
    const wrong = await answerTo('/auth/login', { login: ada.login, password: 'not that one' })
    expect(wrong.status).toBe(401)
    expect(await answerTo('/auth/login', { login: `no-${ada.login}`.slice(0, 32), password: 'not that one' })).toEqual(
      wrong,
    )
    expect(await answerTo('/auth/login', { login: 'no@example.org', password: 'not that one' })).toEqual(wrong)
  })

  test('from the responses to registration and password reset', async () => {
    const email = `${ada.login}@example.org`
    await operate(['user', 'verify-email', '--login', ada.login, '--email', email])
    for (const path of ['/auth/register', '/auth/forgot-password']) {
      const known = await answerTo(path, { email })
      expect(known).toMatchObject({ status: 200, cookies: [] })
      expect(await answerTo(path, { email: `nobody-${email}` })).toEqual(known)
    }
    const code = (address: string) => answerTo('/auth/register/verify-code', { email: address, code: '000000' })
    expect(await code(email)).toEqual(await code(`nobody-${email}`))
  })
})

describe('a redirect to another site is ignored', () => {
  const evil = ['https://evil.example', '//evil.example', '/\\evil.example', '/%5Cevil.example', '/%2F%2Fevil.example']
  const more = [
    '/.//evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/\r\nset-cookie: x=1',
    '\\\\evil.example',
  ]

  test.each([...evil, ...more])('%j', async (redirect) => {
    const query = `redirect=${encodeURIComponent(redirect)}`
    expect((await browser.get(`/auth/providers/none?${query}`)).location).toBe('/login?error=provider_not_found')
  })
})

test('a sign-in returns the user, and its session belongs to that user', async () => {
  const answer = await browser.postJson('/auth/login', { login: ada.login, password: ada.password })
  expect(jsonOf(answer)).toMatchObject({ success: true, user: { id: ada.userId, login: ada.login } })
  expect(await signedInUserId(browser)).toBe(ada.userId)
})

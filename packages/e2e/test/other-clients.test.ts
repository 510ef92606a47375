import { beforeEach, describe, expect, test } from '@jest/globals'
import { Code, createParleyClient } from '@parley/client'
import { AdminUserService } from '@parley/contracts/admin'
import { MyAccountService, ViewerService } from '@parley/contracts/api'
import { jsonOf, type Browser } from '@parley/testkit'
import { newBrowser, signedInUserId, signInBrowser, viaOtherGateway } from '../src/browsers.ts'
import { fleet } from '../src/fleet.ts'
import { attemptJson } from '../src/http.ts'
import { authorizePath, codeFor, exchange, listedUri, newVerifier, redirectUri } from '../src/other-clients.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'

let ada: Person
let browser: Browser
beforeEach(async () => {
  ada = await newPerson('ada')
  browser = newBrowser()
})

const refused = { error: 'invalid_grant', error_description: expect.any(String) }

describe('another web client', () => {
  test('gets a token with the consent of a user who has to sign in first', async () => {
    const verifier = newVerifier()
    const path = authorizePath(verifier)
    expect((await browser.get(path)).location).toBe(`/login?${new URLSearchParams({ redirect: path }).toString()}`)
    await signInBrowser(browser, ada)
    const code = await codeFor(browser, verifier)
    const answer = await exchange(viaOtherGateway(browser), { code, code_verifier: verifier })
    expect(jsonOf(answer)).toEqual({
      access_token: expect.stringMatching(/^prl_AT/),
      token_type: 'Bearer',
      user: { id: ada.userId, login: ada.login, displayName: ada.login },
    })
    const authorization = `Bearer ${String(jsonOf(answer).access_token)}`
    for (const base of fleet().gateways)
      expect((await attemptJson(base, ViewerService.method.getViewer, {}, { authorization })).status).toBe(200)
  })

  test('can use the SDK', async () => {
    await signInBrowser(browser, ada)
    const client = createParleyClient({ baseUrl: browser.base })
    const pending = await client.authorization.begin({ redirectUri })
    const { pathname, search } = new URL(pending.url)
    expect((await browser.get(pathname + search)).location).toBe('/oauth/consent')
    const approved = await browser.postJson('/oauth/consent/approve', { redirectUri }, browser.csrf)
    const returnedTo = String(jsonOf(approved).redirectUrl)

    const ofAnother = { ...pending, issuer: 'https://other.example' }
    await expect(client.authorization.complete(ofAnother, returnedTo)).rejects.toMatchObject({
      code: Code.FailedPrecondition,
    })
    expect(await client.authorization.complete(pending, returnedTo)).toMatchObject({ userId: ada.userId })
    expect((await client.api.viewer.getViewer({})).user?.profile?.id).toBe(ada.userId)
  })

  test('can be denied; a consent is remembered until it is withdrawn', async () => {
    await signInBrowser(browser, ada)
    await browser.get(authorizePath(newVerifier(), listedUri))
    const denied = await browser.postJson('/oauth/consent/deny', { redirectUri: listedUri }, browser.csrf)
    expect(jsonOf(denied).redirectUrl).toContain('error=access_denied&state=a%26state')
    await codeFor(browser, newVerifier(), listedUri)
    expect((await viaOtherGateway(browser).get(authorizePath(newVerifier(), listedUri))).location).toMatch(
      /^https:\/\/client\.example\/back\?code=/,
    )
    await ada.call(MyAccountService.method.withdrawOAuthConsent, { origin: new URL(listedUri).origin })
    expect((await browser.get(authorizePath(newVerifier(), listedUri))).location).toBe('/oauth/consent')
  })

  test('on a loopback address needs consent each time', async () => {
    await signInBrowser(browser, ada)
    for (let time = 0; time < 2; time++) {
      expect((await browser.get(authorizePath(newVerifier()))).location).toBe('/oauth/consent')
      await codeFor(browser, newVerifier())
    }
  })

  test('gets no token for a used or unknown code, with another verifier or with another redirect URI', async () => {
    await signInBrowser(browser, ada)
    const [verifier, otherVerifier] = [newVerifier(), newVerifier()]
    const code = await codeFor(browser, verifier)
    const stolen = await exchange(browser, { code, code_verifier: otherVerifier })
    expect([stolen.status, jsonOf(stolen)]).toEqual([400, refused])

    const second = await codeFor(browser, verifier)
    const elsewhere = { code: second, code_verifier: verifier, redirect_uri: 'http://127.0.0.1:5173/other' }
    expect(jsonOf(await exchange(browser, elsewhere))).toEqual(refused)

    const third = await codeFor(browser, verifier)
    const answers = await Promise.all(
      [browser, viaOtherGateway(browser), browser, viaOtherGateway(browser)].map((each) =>
        exchange(each, { code: third, code_verifier: verifier }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(jsonOf(await exchange(browser, { code: third, code_verifier: verifier }))).toEqual(refused)
    expect(jsonOf(await exchange(browser, { code: 'prl_ACnone', code_verifier: verifier }))).toEqual(refused)
  })

  test('cannot have its request approved by another user’s session', async () => {
    await signInBrowser(browser, ada)
    await browser.get(authorizePath(newVerifier(), 'http://127.0.0.1:6666/evil'))
    const planted = browser.jar.get('parley_oauth') ?? ''
    const bob = newBrowser()
    await signInBrowser(bob, await newPerson('bob'))
    bob.jar.set('parley_oauth', planted)
    expect((await bob.get('/oauth/consent/request')).status).toBe(400)
    expect(
      (await bob.postJson('/oauth/consent/approve', { redirectUri: 'http://127.0.0.1:6666/evil' }, bob.csrf)).status,
    ).toBe(400)
    expect((await browser.postJson('/oauth/consent/approve', {}, { origin: 'http://127.0.0.1:6666' })).status).toBe(403)
  })

  test('never gets a token that counts as a recent sign-in', async () => {
    const owner = await signInOwner()
    await signInBrowser(browser, owner)
    const verifier = newVerifier()
    const answer = await exchange(browser, { code: await codeFor(browser, verifier), code_verifier: verifier })
    const authorization = `Bearer ${String(jsonOf(answer).access_token)}`
    const change = { userId: ada.userId, password: 'chosen by a client' }
    const method = AdminUserService.method.updateUserPassword
    const attempt = await attemptJson(fleet().gateways[0], method, change, { authorization })
    expect([attempt.status, attempt.body]).toEqual([400, expect.objectContaining({ code: 'failed_precondition' })])
    expect(await signedInUserId(browser)).toBe(owner.userId)
  })

  test.each(['https://evil.example/', 'http://127.0.0.1.evil.example/', 'javascript:alert(1)', '//evil.example', ''])(
    'is never redirected to %j',
    async (uri) => {
      await signInBrowser(browser, ada)
      const answer = await browser.get(authorizePath(newVerifier(), uri))
      expect([answer.status, answer.location]).toEqual([400, null])
    },
  )
})

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { MyAccountService } from '@parley/contracts/api'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { Browser, jsonOf } from '@parley/testkit'
import type { OidcProvider } from '@parley/testkit/oidc-provider'
import { newBrowser, signedInUserId, signInBrowser, viaOtherGateway } from '../src/browsers.ts'
import { fleet } from '../src/fleet.ts'
import { callJson } from '../src/http.ts'
import { issuerUrl, providerId, startIdentityProvider } from '../src/identity-provider.ts'
import { newPerson, type Person } from '../src/people.ts'

const issuer = issuerUrl()
const suffix = issuer === '' ? ' (skipped: needs the fleet that the setup starts)' : ''
const suite = issuer === '' ? describe.skip : describe

let provider: OidcProvider | undefined
beforeAll(async () => {
  if (issuer !== '') provider = await startIdentityProvider()
})
afterAll(async () => provider?.[Symbol.asyncDispose]())

let browser: Browser
let login: string
beforeEach(() => {
  browser = newBrowser()
  login = `corp-${randomBytes(5).toString('hex')}`
})

const start = `/auth/providers/${providerId}`

async function callbackFor(who: Browser, path = start, as = login): Promise<string> {
  const { location } = await who.get(path)
  return signInAtProvider(location ?? '', as)
}

async function signInAtProvider(authorizeUrl: string, as: string): Promise<string> {
  const there = new Browser(issuer)
  let next = authorizeUrl.replace(issuer, '')
  for (let steps = 0; steps < 20; steps++) {
    const page = await there.get(next)
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1]?.replace(issuer, '')
    const answer = page.location === null ? await there.postForm(action ?? '', formOf(page.text, as)) : page
    const onward = answer.location ?? ''
    if (onward.startsWith(fleet().gateways[0])) return onward.slice(fleet().gateways[0].length)
    next = onward.replace(issuer, '')
  }
  throw new Error('the provider did not redirect to the gateway')
}

const formOf = (page: string, as: string) => {
  const prompt = /name="prompt" value="([^"]*)"/.exec(page)?.[1] ?? ''
  return { prompt, ...(prompt === 'login' && { login: as, password: 'any' }) }
}

async function registerWithProvider(who: Browser, as = login): Promise<void> {
  const { location } = await who.get(await callbackFor(who, start, as))
  await confirm(who, location, 'CreateExternalIdentityAccount', { login: as })
}

async function confirm(who: Browser, location: string | null, method: string, more: object = {}) {
  const token = new URLSearchParams(location?.split('?')[1]).get('token')
  const path = `/api/connect/svc.auth.v1.ExternalIdentityAuthService/${method}`
  const done = await who.postJson(path, { token, ...more })
  if (done.status !== 200) throw new Error(`${method} was answered ${done.status}: ${done.text}`)
  return jsonOf(done)
}

const linkOf = async (person: Person, redirectPath = '/me') => {
  const request = { providerId, redirectPath, currentPassword: person.password }
  const { startUrl } = await person.call(MyAccountService.method.startExternalIdentityLink, request)
  return startUrl.replace(fleet().gateways[0], '')
}

const failed = '/login?error=provider_failed'

suite(`a sign-in at a provider${suffix}`, () => {
  test('is offered, creates an account the first time, and signs in the next time', async () => {
    const { login: ways } = await callJson(fleet().gateways[1], ServerDiscoveryService.method.getServer, {})
    expect(ways?.providers).toMatchObject([{ id: providerId, type: 'oidc', loginUrl: start }])
    const callback = await callbackFor(browser, `${start}?redirect=/rooms`)
    const { location } = await viaOtherGateway(browser).get(callback)
    expect(location).toMatch(/^\/sso\/confirm\?token=/)
    const { pending } = await confirm(browser, location, 'GetPendingExternalIdentity')
    expect(pending).toMatchObject({ verifiedEmail: `${login}@corp.example`, redirectPath: '/rooms' })
    await confirm(browser, location, 'CreateExternalIdentityAccount', { login })
    const userId = await signedInUserId(browser)
    expect(userId).toEqual(expect.any(String))

    const later = newBrowser()
    expect((await later.get(await callbackFor(later, `${start}?redirect=/rooms`))).location).toBe('/rooms')
    for (const each of [later, viaOtherGateway(later)]) expect(await signedInUserId(each)).toBe(userId)
  })

  test('works with the former path /auth/oidc if the provider is the only one', async () => {
    await registerWithProvider(browser)
    const later = newBrowser()
    const callback = await callbackFor(later, '/auth/oidc?redirect=/rooms')
    expect((await later.get(callback)).location).toBe('/rooms')
    expect(await signedInUserId(later)).toEqual(expect.any(String))
  })

  test('that another browser started signs nobody in', async () => {
    await registerWithProvider(browser)
    const foreignCallback = await callbackFor(newBrowser())
    const victim = newBrowser()
    expect((await victim.get(foreignCallback)).location).toBe(failed)
    await victim.get(start)
    expect((await victim.get(foreignCallback)).location).toBe(failed)
    expect(await signedInUserId(victim)).toBeUndefined()
  })

  test('has a callback that works only once', async () => {
    await registerWithProvider(browser)
    const later = newBrowser()
    const callback = await callbackFor(later)
    const stolen = new Browser(later.base, new Map(later.jar))
    expect((await later.get(callback)).location).toBe('/')
    for (const each of [stolen, viaOtherGateway(stolen)]) expect((await each.get(callback)).location).toBe(failed)
    expect(await signedInUserId(stolen)).toBeUndefined()
  })

  test('refuses a state that is missing, unknown or of another attempt', async () => {
    await registerWithProvider(browser)
    const one = newBrowser()
    const [first, second] = [await callbackFor(one), await callbackFor(one)]
    const [a, b] = [first, second].map((callback) => new URL(callback, one.base).searchParams)
    const swapped = new URLSearchParams(b)
    swapped.set('code', a?.get('code') ?? '')
    expect((await one.get(`${start}/callback?${swapped.toString()}`)).location).toBe(failed)
    for (const state of ['', 'unknown', `${a?.get('state')}x`]) {
      const changed = new URLSearchParams(a)
      changed.set('state', state)
      expect((await one.get(`${start}/callback?${changed.toString()}`)).location).toBe(failed)
    }
    expect((await one.get(`${start}/callback`)).location).toBe(failed)
    expect(await signedInUserId(one)).toBeUndefined()
  })

  test('refuses the code of another browser’s attempt, because nonce and PKCE differ', async () => {
    const victim = newBrowser()
    const victimQuery = new URL(await callbackFor(victim), victim.base).searchParams
    const attacker = newBrowser()
    const attackerQuery = new URL(await callbackFor(attacker, start, `${login}-evil`.slice(0, 32)), attacker.base)
      .searchParams
    attackerQuery.set('code', victimQuery.get('code') ?? '')
    expect((await attacker.get(`${start}/callback?${attackerQuery.toString()}`)).location).toBe(failed)
    expect(await signedInUserId(attacker)).toBeUndefined()
  })

  test('reports that the user declined it at the provider', async () => {
    const { location } = await browser.get(start)
    const state = new URL(location ?? '').searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error: 'access_denied', state, iss: issuer })
    expect((await browser.get(`${start}/callback?${query.toString()}`)).location).toBe('/login?error=provider_denied')
  })

  test('can only be confirmed in the browser that started it', async () => {
    const { location } = await browser.get(await callbackFor(browser))
    expect((await newBrowser().get(location ?? '')).location).toBe(failed)
    expect((await browser.get(location ?? '')).status).toBe(200)
  })
})

suite(`linking an identity${suffix}`, () => {
  let ada: Person
  beforeEach(async () => {
    ada = await newPerson('ada')
    await signInBrowser(browser, ada)
  })

  test('is completed in the browser that started it', async () => {
    const { location } = await viaOtherGateway(browser).get(await callbackFor(browser, await linkOf(ada)))
    await confirm(browser, location, 'ConfirmExternalIdentityLink')
    const later = newBrowser()
    await later.get(await callbackFor(later))
    expect(await signedInUserId(later)).toBe(ada.userId)
    expect((await browser.get(await callbackFor(browser, await linkOf(ada)))).location).toBe('/me')
  })

  test('cannot start in the browser of another user', async () => {
    const link = await linkOf(ada)
    const bob = newBrowser()
    const refused = '/login?error=authentication_required'
    expect((await bob.get(link)).location).toBe(refused)
    await signInBrowser(bob, await newPerson('bob'))
    expect((await bob.get(link)).location).toBe(refused)
    expect((await browser.get(link)).location).toMatch(new RegExp(`^${issuer}`))
  })

  test('to an identity of another account is a conflict', async () => {
    await registerWithProvider(newBrowser())
    const answer = await browser.get(await callbackFor(browser, await linkOf(ada, '/me?tab=2')))
    expect(answer.location).toBe('/me?tab=2&error=external_identity_conflict')
  })

  test.each(['https://evil.example', '//evil.example', '/\\evil.example', '/%5Cevil.example', '/.//evil.example'])(
    'is refused with the redirect path %s',
    async (redirectPath) => {
      const request = { providerId, redirectPath, currentPassword: ada.password }
      const answer = await ada.attempt(MyAccountService.method.startExternalIdentityLink, request)
      expect(answer.status).toBe(400)
    },
  )
})

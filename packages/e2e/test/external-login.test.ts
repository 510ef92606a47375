import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { MyAccountService } from '@parley/contracts/api'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { Browser, jsonOf } from '@parley/testkit'
import type { OidcProvider } from '@parley/testkit/oidc-provider'
import { newBrowser, other, signInIn, viewerOf } from '../src/browsers.ts'
import { fleet } from '../src/fleet.ts'
import { callJson } from '../src/http.ts'
import { issuerOf, providerId, startIdentityProvider } from '../src/identity-provider.ts'
import { newPerson, type Person } from '../src/people.ts'

const issuer = issuerOf()
const name = issuer === '' ? ' (skipped: needs the fleet that the setup starts)' : ''
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

/** Signs in at the provider and returns the path and query to which it redirects the browser. */
async function callbackFor(who: Browser, path = start, as = login): Promise<string> {
  const { location } = await who.get(path)
  return signInThere(location ?? '', as)
}

async function signInThere(authorizeUrl: string, as: string): Promise<string> {
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
  throw new Error('the provider sends nobody back')
}

const formOf = (page: string, as: string) => {
  const prompt = /name="prompt" value="([^"]*)"/.exec(page)?.[1] ?? ''
  return { prompt, ...(prompt === 'login' && { login: as, password: 'any' }) }
}

/** Signs in at the provider for the first time, and makes an account. */
async function registered(who: Browser, as = login): Promise<void> {
  const { location } = await who.get(await callbackFor(who, start, as))
  await confirm(who, location, 'CreateExternalIdentityAccount', { login: as })
}

/** Goes on with the flow that an address names, as the web client does. */
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

suite(`a sign-in at a provider${name}`, () => {
  test('is offered, makes an account, and the next time signs in at once, at the other gateway too', async () => {
    const { login: ways } = await callJson(fleet().gateways[1], ServerDiscoveryService.method.getServer, {})
    expect(ways?.providers).toMatchObject([{ id: providerId, type: 'oidc', loginUrl: start }])
    const callback = await callbackFor(browser, `${start}?redirect=/rooms`)
    const { location } = await other(browser).get(callback)
    expect(location).toMatch(/^\/sso\/confirm\?token=/)
    const { pending } = await confirm(browser, location, 'GetPendingExternalIdentity')
    expect(pending).toMatchObject({ verifiedEmail: `${login}@corp.example`, redirectPath: '/rooms' })
    await confirm(browser, location, 'CreateExternalIdentityAccount', { login })
    const userId = await viewerOf(browser)
    expect(userId).toEqual(expect.any(String))

    const later = newBrowser()
    expect((await later.get(await callbackFor(later, `${start}?redirect=/rooms`))).location).toBe('/rooms')
    for (const each of [later, other(later)]) expect(await viewerOf(each)).toBe(userId)
  })

  test('works by its older address while it is the only one', async () => {
    await registered(browser)
    const later = newBrowser()
    const callback = await callbackFor(later, '/auth/oidc?redirect=/rooms')
    expect((await later.get(callback)).location).toBe('/rooms')
    expect(await viewerOf(later)).toEqual(expect.any(String))
  })

  test('started by somebody else signs nobody in', async () => {
    await registered(browser)
    const attackers = await callbackFor(newBrowser())
    const victim = newBrowser()
    expect((await victim.get(attackers)).location).toBe(failed)
    await victim.get(start)
    expect((await victim.get(attackers)).location).toBe(failed)
    expect(await viewerOf(victim)).toBeUndefined()
  })

  test('comes back once', async () => {
    await registered(browser)
    const later = newBrowser()
    const callback = await callbackFor(later)
    const stolen = new Browser(later.base, new Map(later.jar))
    expect((await later.get(callback)).location).toBe('/')
    for (const each of [stolen, other(stolen)]) expect((await each.get(callback)).location).toBe(failed)
    expect(await viewerOf(stolen)).toBeUndefined()
  })

  test('takes no state of another attempt, and none at all', async () => {
    await registered(browser)
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
    expect(await viewerOf(one)).toBeUndefined()
  })

  test('accepts no code of somebody else’s attempt: nonce and PKCE differ', async () => {
    const victim = newBrowser()
    const victims = new URL(await callbackFor(victim), victim.base).searchParams
    const attacker = newBrowser()
    const own = new URL(await callbackFor(attacker, start, `${login}-evil`.slice(0, 32)), attacker.base).searchParams
    own.set('code', victims.get('code') ?? '')
    expect((await attacker.get(`${start}/callback?${own.toString()}`)).location).toBe(failed)
    expect(await viewerOf(attacker)).toBeUndefined()
  })

  test('reports that it was declined', async () => {
    const { location } = await browser.get(start)
    const state = new URL(location ?? '').searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error: 'access_denied', state, iss: issuer })
    expect((await browser.get(`${start}/callback?${query.toString()}`)).location).toBe('/login?error=provider_denied')
  })

  test('can only be confirmed in its own browser', async () => {
    const { location } = await browser.get(await callbackFor(browser))
    expect((await newBrowser().get(location ?? '')).location).toBe(failed)
    expect((await browser.get(location ?? '')).status).toBe(200)
  })
})

suite(`a link of an identity${name}`, () => {
  let ada: Person
  beforeEach(async () => {
    ada = await newPerson('ada')
    await signInIn(browser, ada)
  })

  test('can only be completed by the person who started it, and signs in from then on', async () => {
    const { location } = await other(browser).get(await callbackFor(browser, await linkOf(ada)))
    await confirm(browser, location, 'ConfirmExternalIdentityLink')
    const later = newBrowser()
    await later.get(await callbackFor(later))
    expect(await viewerOf(later)).toBe(ada.userId)
    expect((await browser.get(await callbackFor(browser, await linkOf(ada)))).location).toBe('/me')
  })

  test('cannot start in somebody else’s browser', async () => {
    const link = await linkOf(ada)
    const bob = newBrowser()
    const refused = '/login?error=authentication_required'
    expect((await bob.get(link)).location).toBe(refused)
    await signInIn(bob, await newPerson('bob'))
    expect((await bob.get(link)).location).toBe(refused)
    expect((await browser.get(link)).location).toMatch(new RegExp(`^${issuer}`))
  })

  test('of an identity of another account is a conflict, reported where it began', async () => {
    await registered(newBrowser())
    const answer = await browser.get(await callbackFor(browser, await linkOf(ada, '/me?tab=2')))
    expect(answer.location).toBe('/me?tab=2&error=external_identity_conflict')
  })

  test.each(['https://evil.example', '//evil.example', '/\\evil.example', '/%5Cevil.example', '/.//evil.example'])(
    'never returns to %s',
    async (redirectPath) => {
      const request = { providerId, redirectPath, currentPassword: ada.password }
      const answer = await ada.attempt(MyAccountService.method.startExternalIdentityLink, request)
      expect(answer.status).toBe(400)
    },
  )
})

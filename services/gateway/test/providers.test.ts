import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import type { Browser } from '@parley/testkit'
import { useEnv, sessionCookie, type Gateway } from './_env.ts'

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
  env.accounts.answers.set('startProviderLogin', () => ({ authorizeUrl: 'https://idp.example/authorize?state=s' }))
})

const redirectOf = async (path: string) => {
  const { status, location } = await browser.get(path)
  return [status, location]
}
const signIn = (userId: string) => {
  const cookie = sessionCookie(env.accounts.credential(userId))
  browser.jar.set('parley_session', cookie.slice('parley_session='.length))
}

describe('a sign-in at a provider', () => {
  test('redirects to the provider, and gives the browser and accounts the same handle', async () => {
    expect(await redirectOf('/auth/providers/corp?redirect=/rooms')).toEqual([
      307,
      'https://idp.example/authorize?state=s',
    ])
    const handle = browser.jar.get('parley_browser')
    expect(handle).toMatch(/^\w{43}$/)
    expect(browser.page?.cookies[0]).toMatch(/; Path=\/; SameSite=Lax; HttpOnly; Max-Age=900$/)
    expect(env.accounts.requests('startProviderLogin')).toMatchObject([
      { providerId: 'corp', redirectPath: '/rooms', browserHandle: handle, linkStart: '', userId: '' },
    ])
    await browser.get('/auth/providers/corp')
    expect(env.accounts.requests('startProviderLogin')[1]).toMatchObject({ browserHandle: handle, redirectPath: '/' })
  })

  test('returns to the same browser and signs it in', async () => {
    await browser.get('/auth/providers/corp')
    env.accounts.answers.set('finishProviderLogin', () => ({
      redirectPath: '/rooms',
      outcome: { case: 'session', value: env.accounts.session('U-ada') },
    }))
    expect(await redirectOf('/auth/providers/corp/callback?code=c%26&state=s')).toEqual([307, '/rooms'])
    expect(browser.jar.has('parley_session')).toBe(true)
    expect(env.accounts.requests('finishProviderLogin')).toMatchObject([
      { providerId: 'corp', query: 'code=c%26&state=s', browserHandle: browser.jar.get('parley_browser'), userId: '' },
    ])
  })

  test('that returns to another browser is passed to accounts with the handle of that browser, if it has one', async () => {
    await browser.get('/auth/providers/corp')
    const other = gateway.browser()
    await other.get('/auth/providers/corp/callback?code=c&state=s')
    expect(env.accounts.requests('finishProviderLogin')).toMatchObject([{ browserHandle: '' }])
    await other.get('/auth/providers/corp')
    await other.get('/auth/providers/corp/callback?code=c&state=s')
    expect(env.accounts.requests('finishProviderLogin')[1]?.browserHandle).not.toBe(browser.jar.get('parley_browser'))
  })

  test('at the older path /auth/oidc names no provider', async () => {
    await browser.get('/auth/oidc?redirect=/rooms')
    await browser.get('/auth/oidc/callback?code=c&state=s')
    expect(env.accounts.requested).toMatchObject([
      { method: 'startProviderLogin', request: { providerId: '', redirectPath: '/rooms' } },
      { method: 'finishProviderLogin', request: { providerId: '', query: 'code=c&state=s' } },
    ])
  })

  test.each([
    ['provider_denied', '/', '/login?error=provider_denied'],
    ['provider_failed', '/rooms', '/login?error=provider_failed&redirect=%2Frooms'],
    ['external_identity_unlinked', '/', '/login?error=external_identity_unlinked'],
    ['something new', '/', '/login?error=provider_failed'],
    ['external_identity_conflict', '/me?tab=2', '/me?tab=2&error=external_identity_conflict'],
  ])('that ends in %s, with the redirect path %s, leads to %s', async (error, redirectPath, location) => {
    env.accounts.answers.set('finishProviderLogin', () => ({ redirectPath, outcome: { case: 'error', value: error } }))
    expect(await redirectOf('/auth/providers/corp/callback?state=s')).toEqual([307, location])
    expect(browser.jar.has('parley_session')).toBe(false)
  })

  test.each([
    [Code.NotFound, 'provider_not_found'],
    [Code.Unauthenticated, 'authentication_required'],
    [Code.Unavailable, 'provider_failed'],
    [Code.Internal, 'provider_failed'],
  ])('that cannot start because of code %i leads to /login?error=%s', async (code, error) => {
    env.accounts.refuse('startProviderLogin', code)
    expect(await redirectOf('/auth/providers/corp')).toEqual([307, `/login?error=${error}`])
  })

  test.each(['https://evil.example', '//evil.example', '/\\evil.example', '/%2f%2fevil.example', '/%09/evil.example'])(
    'does not redirect to %s',
    async (evil) => {
      await browser.get(`/auth/providers/corp?redirect=${encodeURIComponent(evil)}`)
      expect(env.accounts.requests('startProviderLogin')).toMatchObject([{ redirectPath: '/' }])
      for (const outcome of [
        { case: 'alreadyLinked', value: true },
        { case: 'session', value: env.accounts.session('U-ada') },
        { case: 'error', value: 'external_identity_conflict' },
      ]) {
        env.accounts.answers.set('finishProviderLogin', () => ({ redirectPath: evil, outcome }))
        expect((await browser.get('/auth/providers/corp/callback?state=s')).location).toMatch(/^\/(\?error=\w+)?$/)
      }
    },
  )

  test('can be started and finished only with GET', async () => {
    expect((await browser.send('POST', '/auth/providers/corp', '')).status).toBe(405)
    expect((await browser.send('POST', '/auth/providers/corp/callback', '')).status).toBe(405)
  })
})

describe('linking an identity', () => {
  test('starts for the signed-in user, and passes link_start on only with intent=link', async () => {
    expect(await redirectOf('/auth/providers/corp?intent=link')).toEqual([307, '/login?error=authentication_required'])
    signIn('U-ada')
    await browser.get('/auth/providers/corp?intent=link&link_start=ELS1')
    expect(env.accounts.requests('startProviderLogin')).toMatchObject([{ linkStart: 'ELS1', userId: 'U-ada' }])
    await browser.get('/auth/providers/corp?link_start=ELS1')
    expect(env.accounts.requests('startProviderLogin')[1]).toMatchObject({ linkStart: '' })
  })

  test('to the same account again succeeds', async () => {
    signIn('U-ada')
    env.accounts.answers.set('finishProviderLogin', () => ({
      ...{ redirectPath: '/me', outcome: { case: 'alreadyLinked', value: true } },
    }))
    expect(await redirectOf('/auth/providers/corp/callback?state=s')).toEqual([307, '/me'])
    expect(env.accounts.requests('finishProviderLogin')).toMatchObject([{ userId: 'U-ada' }])
  })
})

describe('/sso/confirm', () => {
  test('is shown only in the browser of the sign-in, and only with its token', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-web-client-'))
    await writeFile(join(folder, 'index.html'), 'the web client')
    const withClient = await env.start({ PARLEY_GATEWAY_WEB_CLIENT_DIRECTORY: folder })
    await rm(folder, { recursive: true })
    env.accounts.answers.set('finishProviderLogin', () => ({
      ...{ redirectPath: '/rooms', outcome: { case: 'pendingToken', value: 'EC1' } },
    }))
    const [own, victim] = [withClient.browser(), withClient.browser()]
    const { location } = await own.get('/auth/providers/corp/callback?state=s')
    expect(location).toBe('/sso/confirm?token=EC1')
    expect(await own.get('/sso/confirm?token=EC1')).toMatchObject({ status: 200, text: 'the web client' })
    for (const [who, token] of [
      [victim, 'EC1'],
      [own, 'EC2'],
      [own, ''],
    ] as const) {
      const answer = await who.get(`/sso/confirm?token=${token}`)
      expect([answer.status, answer.location]).toEqual([303, '/login?error=provider_failed'])
    }
  })
})

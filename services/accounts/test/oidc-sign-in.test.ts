import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { credentialDigest } from '@parley/credentials'
import { AdminUserService } from '@parley/contracts/admin'
import { startOidcProvider, type OidcProvider } from '@parley/testkit/oidc-provider'
import { Browser } from './_browser.ts'
import { callersOf, codeOf, makeUser, useEnv, secretKey } from './_env.ts'
import { finishLogin, identityAuth, providerSettings, startLogin } from './_identities.ts'
import { signInAt } from './_sign-in-at.ts'
import { recordUserEvents, type UserEvents } from './_user-events.ts'

const env = useEnv()
let provider: OidcProvider
let events: UserEvents
let clockAheadMs = 0

beforeAll(async () => {
  provider = env.use(await startOidcProvider(['https://chat.example.org/auth/providers/corp/callback']))
  const work = { id: 'corp', type: 'oidc', label: 'Work', issuer_url: provider.issuer }
  const client = { client_id: provider.clientId, client_secret: provider.clientSecret }
  await env.start(providerSettings({ ...work, ...client }), { now: () => new Date(Date.now() + clockAheadMs) })
  events = env.use(await recordUserEvents(env))
})

afterEach(() => {
  clockAheadMs = 0
})

/** Returns the response to the callback. */
async function signInAs(login: string, more: { redirectPath?: string } = {}) {
  return finishLogin(env, 'corp', await signInAt(provider, await startLogin(env, 'corp', more), login))
}

async function makeAccount(login: string) {
  const { pendingToken = '' } = await signInAs(login)
  return identityAuth(env).createExternalIdentityAccount({ token: pendingToken, login })
}

test('a user with a deactivated account gets an error and no session', async () => {
  provider.people.set('gone', {})
  const { userId } = await makeAccount('gone')
  const admin = await makeUser(env, 'admin-of-gone', { roleNames: ['admin'] })
  await env.as(AdminUserService, { userId: admin, roleIds: ['admin'] }).deactivateUser({ userId })
  expect(await signInAs('gone')).toMatchObject({ error: 'account_deactivated' })
  await env.as(AdminUserService, { userId: admin, roleIds: ['admin'] }).reactivateUser({ userId })
  expect((await signInAs('gone')).session?.userId).toBe(userId)
})

describe('an unknown identity', () => {
  test('can create an account, and then signs in to it', async () => {
    provider.people.set('ann', {
      email: 'ann@corp.example.org',
      email_verified: true,
      name: 'Ann Lee',
      preferred_username: 'ann@corp',
    })
    const { pendingToken = '', redirectPath } = await signInAs('ann', { redirectPath: '/rooms/1?x=1' })
    expect(redirectPath).toBe('/rooms/1?x=1')
    const { pending } = await identityAuth(env).getPendingExternalIdentity({ token: pendingToken })
    expect(pending).toMatchObject({
      providerId: 'corp',
      providerType: 'oidc',
      providerLabel: 'Work',
      verifiedEmail: 'ann@corp.example.org',
      loginHint: 'ann',
      displayNameHint: 'Ann Lee',
      boundUserId: '',
      redirectPath: '/rooms/1?x=1',
    })

    let cookie = ''
    const created = await identityAuth(env).createExternalIdentityAccount(
      { token: pendingToken, login: 'ann' },
      { onHeader: (headers) => (cookie = headers.get('parley-session') ?? '') },
    )
    expect(created).toMatchObject({ login: 'ann', token: expect.stringMatching(/^prl_AT/) })
    const [handle = '', lifetime, userId] = cookie.split(' ')
    expect([lifetime, userId]).toEqual([String(90 * 24 * 3600), created.userId])
    const digests = [created.token, handle].map((secret) => credentialDigest(secretKey, secret))
    expect([...(await callersOf(env, digests)).values()].map((caller) => caller?.userId)).toEqual([
      created.userId,
      created.userId,
    ])
    expect(await events.waitFor(created.userId, 'login_succeeded')).toEqual(
      expect.arrayContaining(['user_created', 'user_verified_email_added', 'user_external_identity_linked']),
    )

    const { session } = await signInAs('ann')
    expect(session).toMatchObject({ userId: created.userId, login: 'ann', displayName: 'Ann Lee', token: '' })
    const digest = credentialDigest(secretKey, session?.cookieHandle ?? '')
    const [caller] = (await callersOf(env, [digest])).values()
    expect(caller?.userId).toBe(created.userId)
    expect(Number(caller?.freshUntil?.seconds) * 1000).toBeGreaterThan(Date.now())
    await events.waitFor(created.userId, 'login_succeeded', 2)
  })

  test('with another subject is a different one, even with the same address', async () => {
    const verified = { email: 'shared@corp.example.org', email_verified: true }
    provider.people.set('bea', verified)
    provider.people.set('bob', verified)
    const bea = await makeAccount('bea')
    const { pendingToken = '' } = await signInAs('bob')
    const bob = await identityAuth(env).createExternalIdentityAccount({ token: pendingToken, login: 'bob' })
    expect(bob.userId).not.toBe(bea.userId)
    expect((await signInAs('bea')).session?.userId).toBe(bea.userId)
  })

  test('is not signed in to the account that has its address', async () => {
    await makeUser(env, 'carl', { email: 'carl@corp.example.org' })
    provider.people.set('carl-at-work', { email: 'carl@corp.example.org', email_verified: true })
    const { session, pendingToken } = await signInAs('carl-at-work')
    expect(session).toBeUndefined()
    expect(pendingToken).toBeDefined()
  })

  test('has an address only if the provider has verified it', async () => {
    provider.people.set('dora', { email: 'dora@corp.example.org', email_verified: false, name: '  ' })
    const { pendingToken = '' } = await signInAs('dora')
    const { pending } = await identityAuth(env).getPendingExternalIdentity({ token: pendingToken })
    expect(pending).toMatchObject({ verifiedEmail: '', loginHint: '', displayNameHint: '' })
  })
})

const discoveryCount = () => provider.requests.filter((path) => path.endsWith('openid-configuration')).length

describe('the provider', () => {
  test('receives state, nonce, PKCE challenge and the scope openid', async () => {
    const url = new URL(await startLogin(env, 'corp'))
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'parley',
      redirect_uri: 'https://chat.example.org/auth/providers/corp/callback',
      scope: 'openid profile email',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    const again = new URL(await startLogin(env, 'corp'))
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(again.searchParams.get(name)).not.toBe(url.searchParams.get(name))
  })

  test('is asked for its metadata again only after an hour, if its keys can be fetched', async () => {
    await startLogin(env, 'corp')
    const before = discoveryCount()
    await signInAs('edda')
    expect(discoveryCount()).toBe(before)
    clockAheadMs = 3600_001
    await startLogin(env, 'corp')
    expect(discoveryCount()).toBe(before + 1)
  })

  test('is not asked for its metadata because of forged callbacks', async () => {
    await startLogin(env, 'corp')
    const before = discoveryCount()
    clockAheadMs = 120_000
    for (let n = 0; n < 3; n++) {
      const state = new URL(await startLogin(env, 'corp')).searchParams.get('state') ?? ''
      const query = new URLSearchParams({ state, code: 'made-up', iss: provider.issuer }).toString()
      expect(await finishLogin(env, 'corp', query)).toMatchObject({ error: 'provider_failed' })
    }
    await startLogin(env, 'corp')
    expect(discoveryCount()).toBe(before)
  })

  test('is asked for its metadata again, once a minute, if its keys cannot be fetched', async () => {
    const later = 100 * 3600_000
    clockAheadMs = later
    await startLogin(env, 'corp')
    const before = discoveryCount()
    const unavailablePaths = new Set(['/jwks'])
    provider.intercept((request, response) =>
      unavailablePaths.has(new URL(request.url ?? '', provider.issuer).pathname)
        ? response.writeHead(404).end()
        : false,
    )
    const countDiscoveriesAt = async (at: number) => {
      clockAheadMs = at
      await startLogin(env, 'corp')
      return discoveryCount() - before
    }
    expect(await countDiscoveriesAt(later + 61_000)).toBe(0)
    clockAheadMs = 0
    expect(await signInAs('emma')).toMatchObject({ error: 'provider_failed' })
    // Ten seconds are far below the minute, because real time passes too.
    expect(await countDiscoveriesAt(later + 10_000)).toBe(0)
    unavailablePaths.add('/.well-known/openid-configuration')
    expect(await countDiscoveriesAt(later + 61_000)).toBe(1)
    unavailablePaths.clear()
    expect(await countDiscoveriesAt(later + 61_000)).toBe(2)
    expect(await countDiscoveriesAt(later + 3600_000)).toBe(2)
    clockAheadMs = 0
    expect((await signInAs('emma')).pendingToken).toBeDefined()
    provider.intercept(undefined)
  })

  test('may replace its key at any time, with another or the same key id', async () => {
    await signInAs('fred')
    provider.rotate('second')
    expect((await signInAs('fred')).pendingToken).toBeDefined()
    provider.rotate('second')
    expect((await signInAs('fred')).pendingToken).toBeDefined()
  })

  test('may have a clock that differs by up to a minute', async () => {
    // The ID token is valid for a minute, and the clocks may differ by another minute.
    clockAheadMs = 100_000
    expect((await signInAs('gina')).pendingToken).toBeDefined()
    clockAheadMs = 130_000
    expect(await signInAs('gina')).toMatchObject({ error: 'provider_failed' })
  })

  test('can report that the user declined', async () => {
    const browser = new Browser()
    const page = await browser.open(await startLogin(env, 'corp', { redirectPath: '/back' }))
    const [, cancel = ''] = /href="([^"]+\/abort)"/.exec(page.html) ?? []
    const { url } = await browser.open(new URL(cancel, page.url), ({ host }) => host === 'chat.example.org')
    expect(url.searchParams.get('error')).toBe('access_denied')
    expect(await finishLogin(env, 'corp', url)).toEqual({ error: 'provider_denied', redirectPath: '/back' })
  })

  test('makes the sign-in fail if it refuses our client secret', async () => {
    const callback = await signInAt(provider, await startLogin(env, 'corp'), 'hans')
    provider.configure({
      clients: [
        {
          client_id: 'parley',
          client_secret: 'another secret',
          redirect_uris: ['https://chat.example.org/auth/providers/corp/callback'],
        },
      ],
    })
    expect(await finishLogin(env, 'corp', callback)).toMatchObject({ error: 'provider_failed' })
    provider.configure({})
    expect((await signInAs('hans')).pendingToken).toBeDefined()
  })

  test('makes a sign-in fail if it stops before the callback', async () => {
    const callback = await signInAt(provider, await startLogin(env, 'corp'), 'ida')
    await provider.stop()
    expect(await finishLogin(env, 'corp', callback)).toMatchObject({ error: 'provider_failed' })
    expect(await codeOf(env.signIn.startProviderLogin({ providerId: 'corp', browserHandle: 'browser' }))).toBe(
      Code.Unavailable,
    )
    await provider.start()
    expect((await signInAs('ida')).pendingToken).toBeDefined()
    await provider.stop()
    clockAheadMs = 2 * 3600_000
    expect(await codeOf(env.signIn.startProviderLogin({ providerId: 'corp', browserHandle: 'browser' }))).toBe(
      undefined,
    )
    await provider.start()
  })

  test('is used with the cached metadata if the new metadata has another issuer', async () => {
    clockAheadMs = 10 * 3600_000
    provider.intercept((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          issuer: 'https://evil.example.org',
          authorization_endpoint: 'https://evil.example.org/authorize',
          token_endpoint: 'https://evil.example.org/token',
        }),
      ),
    )
    const url = new URL(await startLogin(env, 'corp'))
    expect(url.origin).toBe(provider.issuer)
    provider.intercept(undefined)
  })
})

test('a sign-in at an unknown provider is refused', async () => {
  const start = env.signIn.startProviderLogin({ providerId: 'none', browserHandle: 'browser' })
  expect(await codeOf(start)).toBe(Code.NotFound)
  expect(await finishLogin(env, 'none', 'state=x&code=y')).toEqual({ error: 'provider_not_found', redirectPath: '/' })
})

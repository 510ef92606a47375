import { createSign, generateKeyPairSync } from 'node:crypto'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { startOidcProvider, type OidcProvider } from '@parley/testkit/oidc-provider'
import { providerLogins } from '../src/store/schema.ts'
import { codeOf, useEnv } from './_env.ts'
import { finishLogin, identityAuth, providerSettings, startLogin } from './_identities.ts'
import { signInAt } from './_sign-in-at.ts'

const failed = { error: 'provider_failed' }
const callbackOf = (id: string) => `https://chat.example.org/auth/providers/${id}/callback`

const env = useEnv()
let work: OidcProvider
let other: OidcProvider

beforeAll(async () => {
  work = env.use(await startOidcProvider([callbackOf('corp'), callbackOf('liar')]))
  other = env.use(await startOidcProvider([callbackOf('other')]))
  const oidc = { type: 'oidc', client_id: work.clientId, client_secret: work.clientSecret }
  await env.start(
    providerSettings(
      { ...oidc, id: 'corp', issuer_url: work.issuer },
      { ...oidc, id: 'other', issuer_url: other.issuer },
      // The same server under another host name.
      { ...oidc, id: 'liar', issuer_url: work.issuer.replace('127.0.0.1', 'localhost') },
    ),
  )
})

afterEach(() => {
  work.intercept(undefined)
})

function withParameters(address: URL | string, parameters: Record<string, string>): URL {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

/** `change`: parameters of a manipulated authorize URL. Returns the callback URL. */
const signInAndReturn = async (change: Record<string, string> = {}) =>
  signInAt(work, withParameters(await startLogin(env, 'corp'), change).href, 'ann')

describe('a callback is refused', () => {
  test('with no state, an empty or unknown one, or two', async () => {
    const callback = await signInAndReturn()
    expect(await finishLogin(env, 'corp', withParameters(callback, { state: '' }))).toMatchObject(failed)
    expect(await finishLogin(env, 'corp', withParameters(callback, { state: 'x'.repeat(43) }))).toMatchObject(failed)
    expect(await finishLogin(env, 'corp', '')).toMatchObject(failed)
    expect(await finishLogin(env, 'corp', `${callback.search.slice(1)}&state=x`)).toMatchObject(failed)
  })

  test('if the state was changed in the authorize URL', async () => {
    expect(await finishLogin(env, 'corp', await signInAndReturn({ state: 'x'.repeat(43) }))).toMatchObject(failed)
  })

  test('if the ID token has another nonce', async () => {
    expect(await finishLogin(env, 'corp', await signInAndReturn({ nonce: 'x'.repeat(43) }))).toMatchObject(failed)
  })

  test('if the code was issued for another PKCE verifier', async () => {
    expect(await finishLogin(env, 'corp', await signInAndReturn({ code_challenge: 'x'.repeat(43) }))).toMatchObject(
      failed,
    )
  })

  test('if the code belongs to another attempt', async () => {
    const [first, second] = [await signInAndReturn(), await signInAndReturn()]
    const code = second.searchParams.get('code') ?? ''
    expect(await finishLogin(env, 'corp', withParameters(first, { code }))).toMatchObject(failed)
    expect((await finishLogin(env, 'corp', second)).session).toBeUndefined()
  })

  test('the second time it is sent', async () => {
    const callback = await signInAndReturn()
    expect((await finishLogin(env, 'corp', callback)).pendingToken).toBeDefined()
    expect(await finishLogin(env, 'corp', callback)).toMatchObject(failed)
  })

  test('more than 15 minutes after the start', async () => {
    const expiries = async () =>
      (await env.db.select().from(providerLogins)).map(({ expiresAt }) => expiresAt.getTime())
    await env.db.delete(providerLogins)
    const callback = await signInAndReturn()
    const [expiry = 0] = await expiries()
    expect(Math.abs(expiry - Date.now() - 15 * 60_000)).toBeLessThan(60_000)
    await env.db.update(providerLogins).set({ expiresAt: new Date(Date.now() - 1) })
    expect(await finishLogin(env, 'corp', callback)).toMatchObject(failed)
  })

  test('in another browser, and then accepted in the browser where the sign-in began', async () => {
    const callback = await signInAndReturn()
    expect(await finishLogin(env, 'corp', callback, { browserHandle: 'another' })).toMatchObject(failed)
    expect(await finishLogin(env, 'corp', callback, { browserHandle: '' })).toMatchObject(failed)
    expect((await finishLogin(env, 'corp', callback)).pendingToken).toBeDefined()
  })

  test('on the path of another provider, and then accepted on the path of its own', async () => {
    const callback = await signInAndReturn()
    expect(await finishLogin(env, 'other', callback)).toMatchObject(failed)
    expect((await finishLogin(env, 'corp', callback)).pendingToken).toBeDefined()
  })

  test('with another provider’s code or issuer, or without an issuer', async () => {
    const theirs = await signInAt(other, await startLogin(env, 'other'), 'ann')
    const state = (await signInAndReturn()).searchParams.get('state') ?? ''
    expect(await finishLogin(env, 'corp', withParameters(theirs, { state }))).toMatchObject(failed)
    const iss = other.issuer
    expect(await finishLogin(env, 'corp', withParameters(await signInAndReturn(), { iss }))).toMatchObject(failed)
    const without = await signInAndReturn()
    without.searchParams.delete('iss')
    expect(await finishLogin(env, 'corp', without)).toMatchObject(failed)
  })

  test('without a code', async () => {
    const callback = await signInAndReturn()
    callback.searchParams.delete('code')
    expect(await finishLogin(env, 'corp', callback)).toMatchObject(failed)
  })
})

test('a provider whose metadata has another issuer is not used', async () => {
  expect(await codeOf(startLogin(env, 'liar'))).toBe(Code.Unavailable)
})

test('a start needs a browser handle and a local redirect path', async () => {
  expect(await codeOf(startLogin(env, 'corp', { browserHandle: '' }))).toBe(Code.InvalidArgument)
  for (const redirectPath of ['https://evil.example.org', '//evil.example.org', '/\\evil.example.org', '/\t/evil', 'x'])
    expect(await codeOf(startLogin(env, 'corp', { redirectPath }))).toBe(Code.InvalidArgument)
})

test('the same subject at two issuers is two identities', async () => {
  const accountAt = async (provider: OidcProvider, id: string, login: string) => {
    const back = await signInAt(provider, await startLogin(env, id), 'same')
    const { pendingToken: token = '' } = await finishLogin(env, id, back)
    return identityAuth(env).createExternalIdentityAccount({ token, login })
  }
  const first = await accountAt(work, 'corp', 'same-at-work')
  const second = await accountAt(other, 'other', 'same-elsewhere')
  expect(second.userId).not.toBe(first.userId)
})

describe('an ID token is refused', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  /** The provider's token endpoint returns this ID token. Returns the response to the callback. */
  async function signInWith(header: object, change: Record<string, unknown>, key = privateKey) {
    const authorizeUrl = await startLogin(env, 'corp')
    const seconds = Math.floor(Date.now() / 1000)
    const claims = {
      ...{ iss: work.issuer, sub: 'ann', aud: 'parley', iat: seconds, exp: seconds + 60 },
      nonce: new URL(authorizeUrl).searchParams.get('nonce'),
      ...change,
    }
    const content = `${part({ alg: 'RS256', kid: 'first', ...header })}.${part(claims)}`
    const signature = createSign('RSA-SHA256').update(content).sign(key).toString('base64url')
    work.intercept((request, response) => {
      if (request.url !== '/token') return false
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token: `${content}.${signature}` }))
    })
    return finishLogin(env, 'corp', await signInAt(work, authorizeUrl, 'ann'))
  }

  test('if another key signed it, whatever its header says', async () => {
    expect(await signInWith({}, {})).toMatchObject(failed)
    expect(await signInWith({ kid: 'unknown' }, {})).toMatchObject(failed)
    expect(await signInWith({ alg: 'none' }, {})).toMatchObject(failed)
    expect(await signInWith({ alg: 'HS256' }, {})).toMatchObject(failed)
  })

  test('unless the provider’s key signed it and all claims are valid', async () => {
    const jwks = { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'first', alg: 'RS256', use: 'sig' }] }
    work.configure({ jwks })
    const past = Math.floor(Date.now() / 1000) - 600
    expect((await signInWith({}, {})).pendingToken).toBeDefined()
    expect(await signInWith({}, { iss: other.issuer })).toMatchObject(failed)
    expect(await signInWith({}, { aud: 'somebody else' })).toMatchObject(failed)
    expect(await signInWith({}, { aud: ['parley', 'somebody else'], azp: 'somebody else' })).toMatchObject(failed)
    expect(await signInWith({}, { exp: past })).toMatchObject(failed)
    expect(await signInWith({}, { nonce: undefined })).toMatchObject(failed)
    expect(await signInWith({}, { sub: undefined })).toMatchObject(failed)
    expect(await signInWith({}, { sub: 'a\0b' })).toMatchObject(failed)
    expect(await signInWith({}, { sub: 'a'.repeat(256) })).toMatchObject(failed)
    work.configure({})
  })
})

test('an address counts as verified only if the document that contains it, ID token or profile, says so', async () => {
  work.configure({ conformIdTokenClaims: false })
  const emailOf = async (inToken: object, atMe: object) => {
    const authorizeUrl = await startLogin(env, 'corp')
    work.people.set('ann', { ...inToken })
    work.intercept((request, response) => {
      if (request.url !== '/me') return false
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ sub: 'ann', ...atMe }))
    })
    const { pendingToken: token = '' } = await finishLogin(env, 'corp', await signInAt(work, authorizeUrl, 'ann'))
    return (await identityAuth(env).getPendingExternalIdentity({ token })).pending?.verifiedEmail
  }
  const [own, victims] = ['ann@corp.example.org', 'victim@corp.example.org']
  expect(await emailOf({}, { email: own, email_verified: true })).toBe(own)
  expect(await emailOf({ email: own, email_verified: true }, {})).toBe(own)
  expect(await emailOf({ email: own, email_verified: true }, { email: victims })).toBe(own)
  expect(await emailOf({ email: victims }, { email: own, email_verified: true })).toBe(own)
  expect(await emailOf({ email: victims }, { email_verified: true })).toBe('')
  expect(await emailOf({ email_verified: true }, { email: victims, email_verified: false })).toBe('')
  work.configure({})
})

test('a profile of another subject is not used', async () => {
  const authorizeUrl = await startLogin(env, 'corp')
  work.people.set('ann', { name: 'Ann' })
  work.intercept((request, response) => {
    if (request.url !== '/me') return false
    const body = JSON.stringify({ sub: 'mallory', name: 'Mallory', email: 'm@example.org', email_verified: true })
    return response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  const { pendingToken: token = '' } = await finishLogin(env, 'corp', await signInAt(work, authorizeUrl, 'ann'))
  const { pending } = await identityAuth(env).getPendingExternalIdentity({ token })
  expect(pending).toMatchObject({ verifiedEmail: '', displayNameHint: '' })
})

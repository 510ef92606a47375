import { createHash, randomBytes } from 'node:crypto'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { credentialDigest } from '@parley/credentials'
import { MyAccountService } from '@parley/contracts/api'
import { eventually, recordEvents } from '@parley/testkit'
import { callerOf, callersOf, codeOf, makeUser, useEnv, secretKey } from './_env.ts'

const minute = 60_000
const origin = 'https://other.example.org'
const redirectUri = `${origin}/callback?x=1`
const env = useEnv()
let now = Date.now()

beforeAll(() => env.start({}, { now: () => new Date(now) }))
afterEach(() => {
  now = Date.now()
})

const codeVerifier = randomBytes(32).toString('base64url')
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
const credentialIds = new Map<string, string>()
async function createSignedInUser(login: string): Promise<string> {
  const userId = await makeUser(env, login)
  credentialIds.set(userId, (await callerOf(env, login)).credentialId ?? '')
  return userId
}
const credentialOf = (userId: string) => ({ userId, credentialId: credentialIds.get(userId) ?? '' })
const grantConsent = (userId: string, granted = true) =>
  env.signIn.decideConsent({ ...credentialOf(userId), origin, granted })
const issue = (userId: string, more: { redirectUri?: string; codeChallenge?: string; consentedNow?: boolean } = {}) =>
  env.signIn.issueAuthorizationCode({ ...credentialOf(userId), redirectUri, codeChallenge, ...more })
const exchange = (code: string, more: { redirectUri?: string; codeVerifier?: string } = {}) =>
  env.signIn.exchangeAuthorizationCode({ code, codeVerifier, redirectUri, ...more })

async function codeFor(login: string) {
  const userId = await createSignedInUser(login)
  await grantConsent(userId)
  return { userId, code: (await issue(userId)).code }
}

describe('consent', () => {
  test('is remembered per origin until it is denied, and audited', async () => {
    const userId = await createSignedInUser('anna')
    const granted = async () => (await env.signIn.hasConsent({ userId, origin })).granted
    await using recording = await recordEvents(env.bus, `evt.user.${userId}.*`)
    expect(await granted()).toBe(false)
    await grantConsent(userId)
    await grantConsent(userId)
    expect(await granted()).toBe(true)
    expect((await env.signIn.hasConsent({ userId, origin: 'https://third.example.org' })).granted).toBe(false)
    await grantConsent(userId, false)
    expect(await granted()).toBe(false)
    const kinds = () => recording.events.map(({ kind }) => kind).filter((kind) => kind.startsWith('oauth'))
    await eventually(() =>
      expect(kinds()).toEqual(['oauth_consent_granted', 'oauth_consent_granted', 'oauth_consent_denied']),
    )
    expect(recording.events.at(-1)?.fact.value).toMatchObject({ details: { origin } })
  })

  test('can be granted only to a valid origin', async () => {
    const userId = await createSignedInUser('bert')
    for (const bad of ['', 'other', `${origin}/`, 'javascript:alert(1)', 'null', 'HTTPS://other.example.org'])
      expect(await codeOf(env.signIn.decideConsent({ ...credentialOf(userId), origin: bad, granted: true }))).toBe(
        Code.InvalidArgument,
      )
  })

  test('is not stored for a loopback address: each code needs it again', async () => {
    const userId = await createSignedInUser('luis')
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000']) {
      const [local, back] = [`http://${host}`, `http://${host}/callback`]
      await env.signIn.decideConsent({ ...credentialOf(userId), origin: local, granted: true })
      expect((await env.signIn.hasConsent({ userId, origin: local })).granted).toBe(false)
      expect(await codeOf(issue(userId, { redirectUri: back }))).toBe(Code.FailedPrecondition)
      const { code } = await issue(userId, { redirectUri: back, consentedNow: true })
      expect((await exchange(code, { redirectUri: back })).userId).toBe(userId)
    }
    expect((await env.as(MyAccountService, credentialOf(userId)).listOAuthConsents({})).consents).toEqual([])
    // `consentedNow` has no effect for other origins.
    expect(await codeOf(issue(userId, { consentedNow: true }))).toBe(Code.FailedPrecondition)
  })

  test('is listed, and ends the client’s tokens and codes when withdrawn', async () => {
    const { userId, code } = await codeFor('lena')
    const account = env.as(MyAccountService, credentialOf(userId))
    await env.signIn.decideConsent({ ...credentialOf(userId), origin: 'https://third.example.org', granted: true })
    const { consents } = await account.listOAuthConsents({})
    expect(consents.map((consent) => consent.origin)).toEqual([origin, 'https://third.example.org'])
    expect(consents[0]?.grantedAt && timestampDate(consents[0].grantedAt).getTime()).toBe(now)
    const digest = credentialDigest(secretKey, (await exchange(code)).token)
    const { code: later } = await issue(userId)
    expect((await callersOf(env, [digest])).size).toBe(1)
    await using recording = await recordEvents(env.bus, 'evt.>')
    expect((await account.withdrawOAuthConsent({ origin })).ended).toBe(1)
    expect((await callersOf(env, [digest])).size).toBe(0)
    expect(await codeOf(exchange(later))).toBe(Code.InvalidArgument)
    expect(await codeOf(issue(userId))).toBe(Code.FailedPrecondition)
    expect((await account.listOAuthConsents({})).consents).toHaveLength(1)
    expect((await account.withdrawOAuthConsent({ origin })).ended).toBe(0)
    expect((await account.listMySessions({})).sessions).toHaveLength(1)
    await eventually(() =>
      expect(recording.events.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['oauth_consent_withdrawn', 'session_revoked', 'credentials_ended']),
      ),
    )
  })

  test('can be denied later, which ends unused codes, but no sessions', async () => {
    const { userId, code } = await codeFor('dolf')
    const digest = credentialDigest(secretKey, (await exchange(code)).token)
    const { code: unused } = await issue(userId)
    await grantConsent(userId, false)
    expect(await codeOf(exchange(unused))).toBe(Code.InvalidArgument)
    expect(await codeOf(issue(userId))).toBe(Code.FailedPrecondition)
    expect((await callersOf(env, [digest])).size).toBe(1)
    expect((await env.as(MyAccountService, credentialOf(userId)).withdrawOAuthConsent({ origin })).ended).toBe(1)
    expect((await callersOf(env, [digest])).size).toBe(0)
  })

  test('needs a valid session', async () => {
    const userId = await createSignedInUser('lars')
    await grantConsent(userId)
    await env.operator.endSessions({ login: 'lars' })
    expect(await codeOf(grantConsent(userId))).toBe(Code.Unauthenticated)
    expect(await codeOf(issue(userId))).toBe(Code.Unauthenticated)
  })

  test('is needed for each origin; a code also needs a valid challenge and redirect URI', async () => {
    const userId = await createSignedInUser('cleo')
    expect(await codeOf(issue(userId))).toBe(Code.FailedPrecondition)
    await grantConsent(userId)
    expect(await codeOf(issue(userId))).toBeUndefined()
    expect(await codeOf(issue(userId, { redirectUri: 'https://third.example.org/' }))).toBe(Code.FailedPrecondition)
    for (const bad of ['', 'plain', `${codeChallenge}=`])
      expect(await codeOf(issue(userId, { codeChallenge: bad }))).toBe(Code.InvalidArgument)
    expect(await codeOf(issue(userId, { redirectUri: '/callback' }))).toBe(Code.InvalidArgument)
  })
})

describe('an authorization code', () => {
  test('is exchanged once for a bearer token that is never fresh', async () => {
    const { userId, code } = await codeFor('dora')
    expect(code).toMatch(/^prl_AC[0-9A-Za-z]{43}$/)
    await using recording = await recordEvents(env.bus, `evt.user.${userId}.*`)
    const session = await exchange(code)
    expect(session).toMatchObject({ userId, login: 'dora', displayName: 'dora', cookieHandle: '' })
    const digest = credentialDigest(secretKey, session.token)
    const caller = (await callersOf(env, [digest])).get(digest.toString('hex'))
    expect(caller).toMatchObject({ userId })
    expect(caller?.freshUntil).toBeUndefined()
    expect(await codeOf(exchange(code))).toBe(Code.InvalidArgument)
    await eventually(() =>
      expect(recording.events.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['auth_code_exchange_succeeded', 'bearer_token_issued']),
      ),
    )
  })

  test('yields a token that can end only its own session', async () => {
    const { userId, code } = await codeFor('doris')
    const digest = credentialDigest(secretKey, (await exchange(code)).token)
    const { credentialId = '' } = (await callersOf(env, [digest])).get(digest.toString('hex')) ?? {}
    const client = env.as(MyAccountService, { userId, credentialId })
    expect(await codeOf(client.endMySession({ allOthers: true }))).toBe(Code.PermissionDenied)
    const { sessions } = await client.listMySessions({})
    expect(sessions).toHaveLength(2)
    const own = sessions.find(({ current }) => current)
    expect(await client.endMySession({ sessionId: own?.id ?? '' })).toMatchObject({ ended: 1 })
  })

  test('is exchanged once, even by concurrent calls', async () => {
    const { code } = await codeFor('emil')
    const answers = await Promise.all([codeOf(exchange(code)), codeOf(exchange(code)), codeOf(exchange(code))])
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1)
  })

  test('is valid for five minutes', async () => {
    const userId = await createSignedInUser('frida')
    await grantConsent(userId)
    const { code, expiresAt } = await issue(userId)
    expect(expiresAt && timestampDate(expiresAt).getTime()).toBe(now + 5 * minute)
    now += 5 * minute
    expect(await codeOf(exchange(code))).toBe(Code.InvalidArgument)
  })

  test.each([
    ['another verifier', { codeVerifier: randomBytes(32).toString('base64url') }, 'code_verifier'],
    ['the challenge itself', { codeVerifier: codeChallenge }, 'code_verifier'],
    ['no verifier', { codeVerifier: '' }, 'code_verifier'],
    ['another redirect URI', { redirectUri: `${origin}/elsewhere` }, 'redirect_uri'],
  ])('is refused and used up if exchanged with %s', async (what, swapped, reason) => {
    const { userId, code } = await codeFor(what.replaceAll(' ', '-'))
    await using recording = await recordEvents(env.bus, `evt.user.${userId}.*`)
    expect(await codeOf(exchange(code, swapped))).toBe(Code.InvalidArgument)
    expect(await codeOf(exchange(code))).toBe(Code.InvalidArgument)
    await eventually(() =>
      expect(recording.events.find(({ kind }) => kind === 'auth_code_exchange_failed')?.fact.value).toMatchObject({
        details: { reason },
      }),
    )
  })

  test('is invalid once the credentials of its user have ended', async () => {
    const { code } = await codeFor('gerd')
    await env.operator.setPassword({ login: 'gerd', password: 'another long enough secret' })
    expect(await codeOf(exchange(code))).toBe(Code.InvalidArgument)
  })
})

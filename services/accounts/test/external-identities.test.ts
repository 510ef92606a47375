import { createHash } from 'node:crypto'
import { Code, type Client } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { credentialDigest } from '@parley/credentials'
import { ownerRoleId } from '@parley/permissions'
import { MyAccountService } from '@parley/contracts/api'
import { ExternalIdentityFlowKind } from '@parley/contracts/auth'
import { eventually } from '@parley/testkit'
import { startOidcProvider, type OidcProvider } from '@parley/testkit/oidc-provider'
import { eq } from 'drizzle-orm'
import { credentials, emails, externalIdentities, users } from '../src/store/schema.ts'
import { callerOf, callersOf, codeOf, makeUser, useEnv, password, secretKey, signIn } from './_env.ts'
import {
  signInToAccount,
  finishLogin,
  identityAuth,
  startLinking,
  providerSettings,
  startLogin,
} from './_identities.ts'
import { signInAt } from './_sign-in-at.ts'
import { recordUserEvents, type UserEvents } from './_user-events.ts'
import { endSessionsOf, whileLocked } from './_while-locked.ts'

const env = useEnv()
let provider: OidcProvider
let events: UserEvents
let clockAheadMs = 0

beforeAll(async () => {
  const callbackOf = (id: string) => `https://chat.example.org/auth/providers/${id}/callback`
  provider = env.use(await startOidcProvider([callbackOf('corp'), callbackOf('closed')]))
  const client = { client_id: provider.clientId, client_secret: provider.clientSecret, issuer_url: provider.issuer }
  const settings = providerSettings(
    { ...client, id: 'corp', type: 'oidc', label: 'Work' },
    { ...client, id: 'closed', type: 'oidc', auto_provision: 'false' },
    { id: 'code', type: 'github', client_id: 'c', client_secret: 's' },
  )
  const owners = { PARLEY_OWNER_EMAIL: 'owner@example.org, chief@example.org' }
  await env.start({ ...settings, ...owners }, { now: () => new Date(Date.now() + clockAheadMs) })
  events = env.use(await recordUserEvents(env))
})

afterEach(() => {
  clockAheadMs = 0
})

const hashOf = (subject: string) => createHash('sha256').update(`${provider.issuer}:${subject}`).digest('hex')

/** Returns the response to the callback. */
const signInAs = async (subject: string, id = 'corp') =>
  finishLogin(env, id, await signInAt(provider, await startLogin(env, id), subject))

const getPendingToken = async (subject: string) => (await signInAs(subject)).pendingToken ?? ''

/** Without a password. */
const makeAccount = async (subject: string) =>
  identityAuth(env).createExternalIdentityAccount({ token: await getPendingToken(subject), login: subject })

/** Returns the response to the callback. */
async function linkAs(login: string, subject: string) {
  const { userId, linkStart } = await startLinking(env, login, 'corp')
  const callback = await signInAt(provider, await startLogin(env, 'corp', { linkStart, userId }), subject)
  return { userId, ...(await finishLogin(env, 'corp', callback, { userId })) }
}

/** The client uses the new session. */
async function clientSignedInWith(subject: string) {
  const { session } = await signInAs(subject)
  const [credential] = await env.db
    .select()
    .from(credentials)
    .where(eq(credentials.userId, session?.userId ?? ''))
  return env.as(MyAccountService, { userId: session?.userId ?? '', credentialId: credential?.id ?? '' })
}

const emailsOf = async (userId: string) =>
  (await env.db.select().from(emails).where(eq(emails.userId, userId))).map(({ address }) => address)
const avatarOf = async (userId: string) =>
  (await env.db.select().from(users).where(eq(users.id, userId))).map(({ avatarKey }) => avatarKey)[0]

describe('creating an account', () => {
  test('for an identity is possible only if the operator allows it', async () => {
    expect(await signInAs('nobody', 'closed')).toMatchObject({ error: 'external_identity_unlinked' })
    const { userId } = await makeAccount('somebody')
    expect((await signInAs('somebody', 'closed')).session?.userId).toBe(userId)
  })

  test('leaves out an address that belongs to another account', async () => {
    const taken = await makeUser(env, 'anna', { email: 'anna@example.org' })
    provider.people.set('anna2', { email: 'Anna@example.org', email_verified: true })
    const { userId } = await makeAccount('anna2')
    expect(await emailsOf(userId)).toEqual([])
    expect(await emailsOf(taken)).toEqual(['anna@example.org'])
  })

  test('makes an owner if the configuration lists the verified address of the identity', async () => {
    provider.people.set('boss', { email: 'owner@example.org', email_verified: true })
    const { userId } = await makeAccount('boss')
    const session = await signInAs('boss')
    expect(session.session?.userId).toBe(userId)
    expect(await events.waitFor(userId, 'login_succeeded', 2)).toContain('roles_changed')
  })

  test('is refused for a taken or invalid login, and can be retried', async () => {
    await makeUser(env, 'bert')
    const token = await getPendingToken('bert2')
    const create = (login: string) => codeOf(identityAuth(env).createExternalIdentityAccount({ token, login }))
    expect(await create('BERT')).toBe(Code.AlreadyExists)
    expect(await create('root')).toBe(Code.InvalidArgument)
    expect(await create('moderator')).toBe(Code.InvalidArgument)
    expect(await create('all')).toBe(Code.InvalidArgument)
    expect(await create('b..')).toBe(Code.InvalidArgument)
    expect(await create('bert2')).toBeUndefined()
    expect(await create('bert3')).toBe(Code.NotFound)
  })

  test('happens only once for an identity', async () => {
    const [first, second] = [await getPendingToken('cleo'), await getPendingToken('cleo')]
    const create = (token: string, login: string) =>
      codeOf(identityAuth(env).createExternalIdentityAccount({ token, login }))
    const codes = await Promise.all([create(first, 'cleo'), create(first, 'cleo1'), create(first, 'cleo2')])
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(await create(second, 'cleo3')).toBe(Code.AlreadyExists)
    const rows = await env.db.select().from(externalIdentities).where(eq(externalIdentities.subject, 'cleo'))
    expect(rows).toHaveLength(1)
  })

  test('imports the avatar of the identity if it can be fetched', async () => {
    provider.people.set('dan', { picture: 'https://images.example.org/dan.png' })
    provider.people.set('edda', { picture: 'https://broken/edda.png' })
    provider.people.set('frida', { picture: 'data:image/png;base64,xxxx' })
    const [dan, edda] = [await makeAccount('dan'), await makeAccount('edda')]
    await makeAccount('frida')
    expect(await events.waitFor(dan.userId, 'user_avatar_set')).toContain('user_profile_updated')
    expect(await avatarOf(dan.userId)).toBe('key-of-https://images.example.org/dan.png')
    await eventually(() => expect(env.fakes.imports.map(({ url }) => url)).toContain('https://broken/edda.png'))
    expect(await avatarOf(edda.userId)).toBeNull()
    expect(env.fakes.imports.map(({ ownerId }) => ownerId)).toEqual([dan.userId, edda.userId])
  })
})

test('an imported avatar does not replace an uploaded one', async () => {
  const late = 'https://images.example.org/late.png'
  env.fakes.duringImport = async ({ ownerId, url }) =>
    url === late && env.db.update(users).set({ avatarKey: 'uploaded' }).where(eq(users.id, ownerId))
  provider.people.set('greta', { picture: late })
  provider.people.set('gunda', { picture: 'https://images.example.org/gunda.png' })
  const greta = await makeAccount('greta')
  await eventually(async () => expect(await avatarOf(greta.userId)).toBe('uploaded'))
  const gunda = await makeAccount('gunda')
  await events.waitFor(gunda.userId, 'user_avatar_set')
  expect(await avatarOf(greta.userId)).toBe('uploaded')
})

describe('a flow', () => {
  test('is found by its token for 15 minutes', async () => {
    const token = await getPendingToken('gerd')
    const { pending } = await identityAuth(env).getPendingExternalIdentity({ token })
    expect(pending?.kind).toBe(ExternalIdentityFlowKind.CREATE_ACCOUNT)
    clockAheadMs = 15 * 60_000 + 1
    expect(await codeOf(identityAuth(env).getPendingExternalIdentity({ token }))).toBe(Code.NotFound)
    expect(await codeOf(identityAuth(env).createExternalIdentityAccount({ token, login: 'gerd' }))).toBe(Code.NotFound)
    expect(await codeOf(identityAuth(env).getPendingExternalIdentity({ token: 'unknown' }))).toBe(Code.NotFound)
    expect(await codeOf(identityAuth(env).confirmExternalIdentityLink({ token: 'unknown' }))).toBe(Code.NotFound)
  })

  test('can be used only for its purpose', async () => {
    await makeUser(env, 'hugo')
    const { pendingToken: link = '' } = await linkAs('hugo', 'hugo')
    const create = await getPendingToken('hugo2')
    expect(await codeOf(identityAuth(env).createExternalIdentityAccount({ token: link, login: 'x1' }))).toBe(
      Code.InvalidArgument,
    )
    expect(await codeOf(identityAuth(env).confirmExternalIdentityLink({ token: create }))).toBe(Code.InvalidArgument)
  })

  test('can be cancelled, even repeatedly', async () => {
    const token = await getPendingToken('ida')
    expect((await identityAuth(env).cancelExternalIdentityFlow({ token })).cancelled).toBe(true)
    expect((await identityAuth(env).cancelExternalIdentityFlow({ token })).cancelled).toBe(true)
    expect(await codeOf(identityAuth(env).createExternalIdentityAccount({ token, login: 'ida' }))).toBe(Code.NotFound)
  })
})

describe('linking an identity', () => {
  test('starts at a URL and ends with a confirmation', async () => {
    const userId = await makeUser(env, 'jan')
    provider.people.set('jan', {
      email: 'jan@example.org',
      email_verified: true,
      picture: 'http://images.example.org/j',
    })
    const { startUrl } = await startLinking(env, 'jan', 'corp', '/settings?tab=2')
    expect(startUrl.origin + startUrl.pathname).toBe('https://chat.example.org/auth/providers/corp')
    expect(startUrl.searchParams.get('intent')).toBe('link')

    const { pendingToken: token = '', redirectPath } = await linkAs('jan', 'jan')
    expect(redirectPath).toBe('/settings')
    const { pending } = await identityAuth(env).getPendingExternalIdentity({ token })
    expect(pending).toMatchObject({ kind: ExternalIdentityFlowKind.LINK_ACCOUNT, boundUserId: userId })
    const { linkedIdentity } = await identityAuth(env).confirmExternalIdentityLink({ token })
    expect(linkedIdentity).toMatchObject({
      ...{ providerId: 'corp', providerType: 'oidc', providerLabel: 'Work' },
      subjectHash: hashOf('jan'),
    })
    expect(await emailsOf(userId)).toEqual(['jan@example.org'])
    expect(await events.waitFor(userId, 'user_avatar_set')).toEqual(
      expect.arrayContaining(['user_external_identity_linked', 'user_verified_email_added']),
    )
    expect((await signInAs('jan')).session?.userId).toBe(userId)
    expect(await codeOf(identityAuth(env).confirmExternalIdentityLink({ token }))).toBe(Code.NotFound)
  })

  test('keeps the address and avatar of the account', async () => {
    const karl = await makeUser(env, 'karl', { email: 'karl@example.org' })
    await env.db.update(users).set({ avatarKey: 'mine' }).where(eq(users.id, karl))
    provider.people.set('karl', { email: 'k@example.org', email_verified: true, picture: 'https://x.example.org/k' })
    const picture = 'https://x.example.org/lena'
    provider.people.set('lena', { email: 'karl@example.org', email_verified: true, picture })
    const lena = await makeUser(env, 'lena')
    for (const login of ['karl', 'lena'])
      await identityAuth(env).confirmExternalIdentityLink({ token: (await linkAs(login, login)).pendingToken ?? '' })
    expect([await emailsOf(karl), await emailsOf(lena)]).toEqual([['karl@example.org'], []])
    expect(await events.waitFor(lena, 'user_avatar_set')).toBeDefined()
    expect(await avatarOf(karl)).toBe('mine')
    expect(env.fakes.imports.map(({ ownerId }) => ownerId)).not.toContain(karl)
  })

  test('makes an owner if the configuration lists the verified address of the identity', async () => {
    const chief = await makeUser(env, 'chief')
    provider.people.set('chief', { email: 'chief@example.org', email_verified: true })
    await identityAuth(env).confirmExternalIdentityLink({ token: (await linkAs('chief', 'chief')).pendingToken ?? '' })
    const { session } = await signInAs('chief')
    const digest = credentialDigest(secretKey, session?.cookieHandle ?? '')
    expect((await callersOf(env, [digest])).get(digest.toString('hex'))?.roleIds).toEqual([ownerRoleId])
    expect(await events.waitFor(chief, 'roles_changed')).toContain('user_verified_email_added')
  })

  test('needs a fresh credential, a known provider and a local redirect path', async () => {
    await makeUser(env, 'mia')
    const { account } = await signInToAccount(env, 'mia')
    const start = (more: { providerId?: string; redirectPath?: string; currentPassword?: string }) =>
      codeOf(account.startExternalIdentityLink({ providerId: 'corp', ...more }))
    expect(await start({ providerId: 'none' })).toBe(Code.NotFound)
    expect(await start({ redirectPath: 'https://evil.example.org' })).toBe(Code.InvalidArgument)
    expect(await start({ redirectPath: '//evil.example.org' })).toBe(Code.InvalidArgument)
    clockAheadMs = 31 * 60_000
    expect(await start({})).toBe(Code.FailedPrecondition)
    expect(await start({ currentPassword: 'wrong' })).toBe(Code.InvalidArgument)
    expect(await start({ currentPassword: password })).toBeUndefined()
    expect(await start({})).toBeUndefined()
  })

  test('can be continued only by its user, at its provider and once', async () => {
    const mallory = await makeUser(env, 'mallory')
    await makeUser(env, 'nora')
    const { userId, linkStart } = await startLinking(env, 'nora', 'corp')
    const start = (id: string, who: string) => codeOf(startLogin(env, id, { linkStart, userId: who }))
    expect(await start('corp', '')).toBe(Code.Unauthenticated)
    expect(await start('corp', mallory)).toBe(Code.Unauthenticated)
    expect(await start('closed', userId)).toBe(Code.Unauthenticated)
    expect(await start('corp', userId)).toBeUndefined()
    expect(await start('corp', userId)).toBe(Code.Unauthenticated)

    const again = await startLinking(env, 'nora', 'corp')
    const callback = await signInAt(provider, await startLogin(env, 'corp', again), 'nora')
    expect(await finishLogin(env, 'corp', callback, { userId: mallory })).toEqual({
      error: 'authentication_required',
      redirectPath: '/settings',
    })
  })

  test('is refused if the identity is linked to another account', async () => {
    const { userId } = await makeAccount('otto')
    await makeUser(env, 'paul')
    const earlier = await linkAs('paul', 'petra')
    expect(await linkAs('paul', 'otto')).toMatchObject({
      error: 'external_identity_conflict',
      redirectPath: '/settings',
    })
    // Another account gets the identity before the link is confirmed.
    await makeAccount('petra')
    const confirm = identityAuth(env).confirmExternalIdentityLink({ token: earlier.pendingToken ?? '' })
    expect(await codeOf(confirm)).toBe(Code.AlreadyExists)
    expect((await signInAs('otto')).session?.userId).toBe(userId)
  })

  test('has no effect if the identity is already linked', async () => {
    const userId = await makeUser(env, 'rosa')
    const [first, second] = [await linkAs('rosa', 'rosa'), await linkAs('rosa', 'rosa')]
    for (const { pendingToken: token = '' } of [first, second])
      expect((await identityAuth(env).confirmExternalIdentityLink({ token })).linkedIdentity?.subjectHash).toBe(
        hashOf('rosa'),
      )
    expect(await linkAs('rosa', 'rosa')).toMatchObject({ alreadyLinked: true, redirectPath: '/settings' })
    const kinds = await events.waitFor(userId, 'user_external_identity_linked')
    expect(kinds.filter((kind) => kind === 'user_external_identity_linked')).toHaveLength(1)
  })
})

describe('the list of identities', () => {
  test('contains every provider in order, and the linked identities', async () => {
    const userId = await makeUser(env, 'sara')
    await identityAuth(env).confirmExternalIdentityLink({ token: (await linkAs('sara', 'sara')).pendingToken ?? '' })
    await env.db
      .insert(externalIdentities)
      .values([{ issuer: 'gone', subject: '7', subjectHash: 'h7', providerId: 'gone', userId, linkedAt: new Date(0) }])
    const { account } = await signInToAccount(env, 'sara')
    const { providers, linkedIdentities } = await account.listExternalIdentities({})
    const subjectHash = hashOf('sara')
    expect(providers).toMatchObject([
      {
        provider: { id: 'corp', type: 'oidc', label: 'Work', loginUrl: '/auth/providers/corp' },
        ...{ linkUrl: '/auth/providers/corp?intent=link', linked: true, linkedIdentitySubjectHash: subjectHash },
      },
      { provider: { id: 'closed', label: 'closed' }, linked: false, linkedIdentitySubjectHash: '' },
      { provider: { id: 'code', type: 'github' }, linked: false },
    ])
    expect(linkedIdentities).toMatchObject([
      { providerId: 'gone', providerType: '', providerLabel: 'gone', subjectHash: 'h7' },
      { providerId: 'corp', providerType: 'oidc', providerLabel: 'Work', subjectHash },
    ])
  })
})

describe('unlinking an identity', () => {
  test('ends every session, and does not prevent linking it again', async () => {
    const userId = await makeUser(env, 'tim')
    const link = async () =>
      identityAuth(env).confirmExternalIdentityLink({ token: (await linkAs('tim', 'tim')).pendingToken ?? '' })
    await link()
    const { digests } = await signIn(env, 'tim')
    const { account } = await signInToAccount(env, 'tim')
    expect(await account.disconnectExternalIdentity({ subjectHash: hashOf('tim') })).toMatchObject({
      disconnected: true,
    })
    expect((await callersOf(env, digests)).size).toBe(0)
    expect(await events.waitFor(userId, 'credentials_ended')).toContain('user_external_identity_unlinked')
    expect(events.of(userId).find(({ kind }) => kind === 'credentials_ended')?.fact.value).toMatchObject({
      all: true,
      reason: 'external_identity_disconnected',
    })
    expect((await signInAs('tim')).pendingToken).toBeDefined()
    await link()
  })

  test('is refused if the account would have no other way to sign in', async () => {
    const { userId } = await makeAccount('uta')
    const disconnect = async (subject: string) =>
      codeOf((await clientSignedInWith('uta')).disconnectExternalIdentity({ subjectHash: hashOf(subject) }))
    expect(await disconnect('uta')).toBe(Code.FailedPrecondition)
    // An identity of a provider that is no longer configured cannot be used.
    const gone = { issuer: 'gone', subject: '8', subjectHash: 'h8', providerId: 'gone', userId, linkedAt: new Date() }
    await env.db.insert(externalIdentities).values(gone)
    expect(await disconnect('uta')).toBe(Code.FailedPrecondition)
    expect((await signInAs('uta')).session?.userId).toBe(userId)
    const code = { ...gone, issuer: 'code', subjectHash: 'h9', providerId: 'code' }
    await env.db.insert(externalIdentities).values(code)
    expect(await disconnect('uta')).toBeUndefined()
  })

  test('needs a fresh credential, and an identity of the caller', async () => {
    await makeUser(env, 'vera')
    await makeAccount('willi')
    const caller = await callerOf(env, 'vera')
    const account = env.as(MyAccountService, caller)
    const disconnect = (subjectHash: string, currentPassword = '') =>
      codeOf(account.disconnectExternalIdentity({ subjectHash, currentPassword }))
    expect(await disconnect(hashOf('willi'))).toBe(Code.NotFound)
    expect(await disconnect('unknown')).toBe(Code.NotFound)
    clockAheadMs = 31 * 60_000
    expect(await disconnect('unknown')).toBe(Code.FailedPrecondition)
    expect(await disconnect('unknown', 'wrong')).toBe(Code.InvalidArgument)
    expect(await disconnect('unknown', password)).toBe(Code.NotFound)
  })

  test('and similar changes are refused if the session ends while they wait', async () => {
    const userId = await makeUser(env, 'xaver', { email: 'xaver@example.org' })
    await identityAuth(env).confirmExternalIdentityLink({ token: (await linkAs('xaver', 'xaver')).pendingToken ?? '' })
    const changes: ((account: Client<typeof MyAccountService>) => Promise<unknown>)[] = [
      (account) => account.disconnectExternalIdentity({ subjectHash: hashOf('xaver') }),
      (account) => account.removeEmailAddress({ address: 'xaver@example.org' }),
      (account) => account.updatePassword({ currentPassword: password, password: 'another long enough secret' }),
    ]
    for (const change of changes) {
      const account = env.as(MyAccountService, await callerOf(env, 'xaver'))
      const codes = await whileLocked(env, 'users', userId, {
        calls: () => [change(account)],
        meanwhile: () => endSessionsOf(env, userId),
      })
      expect(codes).toEqual([Code.Unauthenticated])
    }
    expect((await signInAs('xaver')).session?.userId).toBe(userId)
    expect(await emailsOf(userId)).toContain('xaver@example.org')
    await signIn(env, 'xaver')
  })
})

import { createHash, randomBytes } from 'node:crypto'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { MyAccountService } from '@parley/contracts/api'
import { eventually, type TestCaller } from '@parley/testkit'
import { startOidcProvider, type OidcProvider } from '@parley/testkit/oidc-provider'
import { eq } from 'drizzle-orm'
import { users } from '../src/store/schema.ts'
import { callerOf, callersOf, codeOf, makeUser, useEnv, password, signIn } from './_env.ts'
import { finishLogin, identityAuth, providerSettings, startLogin } from './_identities.ts'
import { codeIn, createMailFolder, type MailFolder } from './_mails.ts'
import { recordUserEvents, type UserEvents } from './_user-events.ts'
import { signInAt } from './_sign-in-at.ts'
import { endSessionsOf, whileLocked } from './_while-locked.ts'

const [minute, hour, day] = [60_000, 3600_000, 24 * 3600_000]
const newPassword = 'another long enough secret'
const origin = 'https://other.example.org'
const redirectUri = `${origin}/callback`
const codeVerifier = randomBytes(32).toString('base64url')
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')

const env = useEnv()
let provider: OidcProvider
let folder: MailFolder
let events: UserEvents
let clockAheadMs = 0

beforeAll(async () => {
  folder = env.use(await createMailFolder())
  provider = env.use(await startOidcProvider(['https://chat.example.org/auth/providers/corp/callback']))
  const client = { client_id: provider.clientId, client_secret: provider.clientSecret, issuer_url: provider.issuer }
  const settings = providerSettings({ ...client, id: 'corp', type: 'oidc', label: 'Work' })
  const overrides = { now: () => new Date(Date.now() + clockAheadMs) }
  await env.start({ ...settings, PARLEY_MAIL_DIR: folder.path }, overrides)
  events = env.use(await recordUserEvents(env))
})
afterEach(() => {
  clockAheadMs = 0
})

type Person = { login: string; email: string; caller: TestCaller; credential: { userId: string; credentialId: string } }
const addressOf = (login: string) => `${login}@example.org`
const account = ({ caller }: Person) => env.as(MyAccountService, caller)

/** Creates an account that is two days old, and a new session, which some tests use as the session of an attacker. */
async function createPerson(login: string): Promise<Person> {
  clockAheadMs -= 2 * day
  await makeUser(env, login, { email: addressOf(login) })
  clockAheadMs += 2 * day
  const caller = await callerOf(env, login)
  const credential = { userId: caller.userId, credentialId: caller.credentialId ?? '' }
  return { login, email: addressOf(login), caller, credential }
}

async function addAddress({ credential }: Person, email: string): Promise<void> {
  await env.signIn.requestEmailCode({ ...credential, email })
  await env.signIn.confirmEmailCode({ ...credential, email, code: codeIn((await folder.mails(email)).at(-1)) })
}

/** Starts linking an identity, and signs in at the provider. Returns the callback URL. */
async function returnFromProvider(person: Person, subject: string): Promise<URL> {
  const { startUrl } = await account(person).startExternalIdentityLink({ providerId: 'corp' })
  const linkStart = new URL(startUrl).searchParams.get('link_start') ?? ''
  return signInAt(provider, await startLogin(env, 'corp', { linkStart, userId: person.credential.userId }), subject)
}
const pendingLink = async (person: Person, subject: string) =>
  (await finishLogin(env, 'corp', await returnFromProvider(person, subject), { userId: person.credential.userId }))
    .pendingToken ?? ''
const confirmLink = (token: string) => identityAuth(env).confirmExternalIdentityLink({ token })
const linkIdentity = async (person: Person, subject: string) => confirmLink(await pendingLink(person, subject))

const grantConsent = ({ credential }: Person) => env.signIn.decideConsent({ ...credential, origin, granted: true })
const codeOfClient = async ({ credential }: Person) =>
  (await env.signIn.issueAuthorizationCode({ ...credential, redirectUri, codeChallenge })).code
const exchange = (code: string) => env.signIn.exchangeAuthorizationCode({ code, codeVerifier, redirectUri })

async function resetPasswordWith(email: string): Promise<void> {
  const links = async () =>
    (await folder.mails(email)).flatMap(({ text }) => /reset-password\?token=(\w+)/.exec(text)?.[1] ?? [])
  const before = (await links()).length
  await env.signIn.requestPasswordReset({ email })
  const token = await eventually(async () => {
    const found = (await links())[before]
    if (found === undefined) throw new Error('no link has arrived')
    return found
  })
  await env.signIn.resetPassword({ token, password: newPassword })
}

const accessOf = async ({ login, credential: { userId } }: Person) => ({
  addresses: (await env.operator.listEmails({ login })).emails.map(({ address }) => address),
  identities: (await env.as(MyAccountService, { userId }).listExternalIdentities({})).linkedIdentities.length,
  consents: (await env.as(MyAccountService, { userId }).listOAuthConsents({})).consents.length,
})
const countMails = async (email: string, about: string) =>
  (await folder.mails(email)).filter(({ subject }) => subject.includes(about)).length
const expectMails = (email: string, about: string, times = 1) =>
  eventually(async () => expect(await countMails(email, about)).toBe(times))

async function signInOwner(login: string): Promise<TestCaller> {
  await makeUser(env, login, { roleNames: ['owner'] })
  return callerOf(env, login)
}

const recoveryCases: [string, (person: Person) => Promise<unknown>][] = [
  ['resetting the password', ({ email }) => resetPasswordWith(email)],
  ['ending all sessions as the operator', ({ login }) => env.operator.endSessions({ login })],
  ['ending all other sessions', (person) => account(person).endMySession({ allOthers: true })],
  [
    'changing the password',
    (person) => account(person).updatePassword({ password: newPassword, currentPassword: password }),
  ],
  ['setting the password as the operator', ({ login }) => env.operator.setPassword({ login, password: newPassword })],
  [
    'deactivating the account',
    async ({ login, credential: { userId } }) =>
      env.as(AdminUserService, await signInOwner(`admin-${login}`)).deactivateUser({ userId }),
  ],
]

describe.each(recoveryCases)('%s', (name, recover) => {
  const loginFor = (prefix: string) => `${prefix}-${recoveryCases.findIndex(([one]) => one === name)}`

  test('removes addresses and identities added in the last hour, and every consent', async () => {
    const person = await createPerson(loginFor('new'))
    const [mail, subject] = [addressOf(loginFor('thief')), loginFor('thief')]
    await addAddress(person, mail)
    await linkIdentity(person, subject)
    await grantConsent(person)
    const code = await codeOfClient(person)
    expect(await accessOf(person)).toEqual({ addresses: [person.email, mail], identities: 1, consents: 1 })
    await recover(person)
    expect(await accessOf(person)).toEqual({ addresses: [person.email], identities: 0, consents: 0 })
    expect(await codeOf(exchange(code))).toBe(Code.InvalidArgument)
    const back = await finishLogin(env, 'corp', await signInAt(provider, await startLogin(env, 'corp'), subject))
    expect(back.session).toBeUndefined()
    const kinds = await events.waitFor(person.credential.userId, 'user_external_identity_unlinked')
    expect(kinds).toEqual(expect.arrayContaining(['oauth_consent_withdrawn', 'user_verified_email_removed']))
  })

  test('keeps addresses and identities added earlier', async () => {
    const person = await createPerson(loginFor('old'))
    clockAheadMs -= hour + minute
    const session = await callerOf(env, person.login)
    const before = {
      ...person,
      caller: session,
      credential: { ...person.credential, credentialId: session.credentialId ?? '' },
    }
    await addAddress(before, addressOf(loginFor('second')))
    await linkIdentity(before, loginFor('second'))
    clockAheadMs = 0
    await recover(person)
    expect(await accessOf(person)).toMatchObject({
      addresses: [person.email, addressOf(loginFor('second'))],
      identities: 1,
    })
  })

  test('invalidates unfinished flows', async () => {
    const person = await createPerson(loginFor('way'))
    const [subject, mail] = [loginFor('way'), addressOf(loginFor('other'))]
    await env.signIn.requestEmailCode({ ...person.credential, email: mail })
    const code = codeIn((await folder.mails(mail)).at(-1))
    const { startUrl } = await account(person).startExternalIdentityLink({ providerId: 'corp' })
    const atProvider = await returnFromProvider(person, subject)
    const pending = await pendingLink(person, subject)
    const { confirmationToken } = await account(person).requestAccountDeletion({})
    await recover(person)
    const { userId } = person.credential
    // A callback that arrives afterwards belongs to an earlier auth generation.
    const { pendingToken = '' } = await finishLogin(env, 'corp', atProvider, { userId })
    for (const token of [pending, pendingToken]) expect(await codeOf(confirmLink(token))).toBe(Code.NotFound)
    const linkStart = new URL(startUrl).searchParams.get('link_start') ?? ''
    expect(await codeOf(startLogin(env, 'corp', { linkStart, userId }))).toBe(Code.Unauthenticated)
    expect(await codeOf(account(person).deleteMyAccount({ confirmationToken }))).toBe(Code.NotFound)
    const confirmed = await codeOf(env.signIn.confirmEmailCode({ ...person.credential, email: mail, code }))
    expect([Code.InvalidArgument, Code.Unauthenticated]).toContain(confirmed)
    expect(await accessOf(person)).toMatchObject({ addresses: [person.email], identities: 0 })
  })
})

describe('an attacker with a fresh session', () => {
  test('loses an address that they added if they reset the password with it', async () => {
    const person = await createPerson('berta')
    await addAddress(person, 'thief-b@example.org')
    await expectMails(person.email, 'New e-mail address')
    await resetPasswordWith('thief-b@example.org')
    expect(await accessOf(person)).toMatchObject({ addresses: [person.email] })
    await expectMails(person.email, 'was changed')
    clockAheadMs = 6 * minute
    await resetPasswordWith(person.email)
    expect((await signIn(env, 'berta', newPassword)).session.userId).toBe(person.credential.userId)
  })

  test('cannot remove the user’s address', async () => {
    const person = await createPerson('cora')
    const { removeEmailAddress, listEmailAddresses } = account(person)
    expect(await codeOf(removeEmailAddress({ address: person.email }))).toBe(Code.FailedPrecondition)
    await addAddress(person, 'thief-c@example.org')
    expect(await codeOf(removeEmailAddress({ address: person.email }))).toBe(Code.FailedPrecondition)
    const { addresses } = await listEmailAddresses({})
    expect(addresses.map(({ address, removable }) => [address, removable])).toEqual([
      [person.email, false],
      ['thief-c@example.org', true],
    ])
  })

  test('cannot change anything once the session has ended, even in waiting calls', async () => {
    const person = await createPerson('dina')
    await env.signIn.requestEmailCode({ ...person.credential, email: 'thief-d@example.org' })
    const code = codeIn((await folder.mails('thief-d@example.org')).at(-1))
    await env.db.update(users).set({ passwordHash: null }).where(eq(users.id, person.credential.userId))
    const { userId } = person.credential
    const codes = await whileLocked(env, 'users', userId, {
      calls: () => [
        env.signIn.confirmEmailCode({ ...person.credential, email: 'thief-d@example.org', code }),
        account(person).updatePassword({ password: newPassword }),
        account(person).endMySession({ allOthers: true }),
        account(person).removeEmailAddress({ address: person.email }),
        grantConsent(person),
      ],
      meanwhile: () => endSessionsOf(env, userId),
    })
    // On a slow machine a call may time out waiting for the lock, which has no effect either.
    expect(new Set(codes.filter((one) => one !== Code.Unavailable))).toEqual(new Set([Code.Unauthenticated]))
    expect(await accessOf(person)).toEqual({ addresses: [person.email], identities: 0, consents: 0 })
  })
})

test('ending all other sessions keeps the caller’s own', async () => {
  const person = await createPerson('edda')
  const { digests } = await signIn(env, 'edda')
  const own = (await callersOf(env, digests)).values().next().value
  const mine = env.as(MyAccountService, { userId: person.credential.userId, credentialId: own?.credentialId ?? '' })
  expect((await mine.endMySession({ allOthers: true })).ended).toBe(1)
  expect((await callersOf(env, digests)).size).toBe(2)
  expect((await mine.listMySessions({})).sessions).toHaveLength(1)
  expect((await mine.endMySession({ allOthers: true })).ended).toBe(0)
})

describe('a verified address', () => {
  test('can be removed with a fresh credential, and all addresses are notified', async () => {
    const person = await createPerson('fanny')
    await addAddress(person, 'Second-F@example.org')
    const { removeEmailAddress } = account(person)
    expect(await codeOf(removeEmailAddress({ address: 'unknown@example.org' }))).toBe(Code.NotFound)
    clockAheadMs = 31 * minute
    expect(await codeOf(removeEmailAddress({ address: 'second-f@example.org' }))).toBe(Code.FailedPrecondition)
    const { addresses } = await removeEmailAddress({ address: 'second-f@example.org', currentPassword: password })
    expect(addresses.map(({ address }) => address)).toEqual([person.email])
    for (const email of [person.email, 'Second-F@example.org']) await expectMails(email, 'E-mail address removed')
    expect(await events.waitFor(person.credential.userId, 'user_verified_email_removed')).toContain(
      'user_verified_email_added',
    )
    expect(await codeOf(signIn(env, 'second-f@example.org'))).toBe(Code.Unauthenticated)
  })

  test('is removed together with its reset links', async () => {
    const person = await createPerson('gina')
    await addAddress(person, 'second-g@example.org')
    await env.signIn.requestPasswordReset({ email: 'second-g@example.org' })
    const token = await eventually(async () => {
      const mail = (await folder.mails('second-g@example.org')).at(-1)
      const found = /reset-password\?token=(\w+)/.exec(mail?.text ?? '')?.[1]
      if (found === undefined) throw new Error('no link has arrived')
      return found
    })
    await account(person).removeEmailAddress({ address: 'second-g@example.org' })
    expect(await codeOf(env.signIn.resetPassword({ token, password: newPassword }))).toBe(Code.InvalidArgument)
  })

  test('can be removed once a newer address is a week old', async () => {
    const person = await createPerson('hilde')
    await addAddress(person, 'second-h@example.org')
    clockAheadMs = 7 * day + minute
    const session = await callerOf(env, 'hilde')
    const { addresses } = await env.as(MyAccountService, session).removeEmailAddress({ address: person.email })
    expect(addresses.map(({ address, removable }) => [address, removable])).toEqual([['second-h@example.org', false]])
  })

  test('can be removed by an owner with a fresh credential; an admin may not remove an owner’s', async () => {
    const [person, owner] = [await createPerson('ida'), await signInOwner('ida-admin')]
    const as = (caller: TestCaller) => env.as(AdminUserService, caller)
    const requested = { userId: person.credential.userId, address: person.email }
    expect(await codeOf(as(person.caller).removeUserEmailAddress(requested))).toBe(Code.PermissionDenied)
    const own = { userId: owner.userId, address: person.email }
    expect(await codeOf(as(owner).removeUserEmailAddress(own))).toBe(Code.PermissionDenied)
    await makeUser(env, 'ida-second', { roleNames: ['admin'] })
    const second = await callerOf(env, 'ida-second')
    expect(await codeOf(as(second).removeUserEmailAddress(own))).toBe(Code.PermissionDenied)
    clockAheadMs = 31 * minute
    expect(await codeOf(as(owner).removeUserEmailAddress(requested))).toBe(Code.FailedPrecondition)
    const { member } = await as(owner).removeUserEmailAddress({ ...requested, currentPassword: password })
    expect(member?.verifiedEmails).toEqual([])
    await expectMails(person.email, 'E-mail address removed')
    expect(await codeOf(as(owner).removeUserEmailAddress(requested))).toBeUndefined()
  })

  test('can be managed by the operator, whose additions survive a recovery', async () => {
    const person = await createPerson('jana')
    await env.operator.verifyEmail({ login: 'jana', email: 'second-j@example.org' })
    await expectMails(person.email, 'New e-mail address')
    await env.operator.endSessions({ login: 'jana' })
    expect(await accessOf(person)).toMatchObject({ addresses: [person.email, 'second-j@example.org'] })
    await env.operator.removeEmail({ login: 'jana', email: 'SECOND-J@example.org' })
    expect(await accessOf(person)).toMatchObject({ addresses: [person.email] })
    const again = env.operator.removeEmail({ login: 'jana', email: 'second-j@example.org' })
    expect(await codeOf(again)).toBe(Code.NotFound)
    expect(await codeOf(env.operator.listEmails({ login: 'nobody' }))).toBe(Code.NotFound)
  })
})

describe('the addresses of an account are notified', () => {
  test('of a linked identity', async () => {
    const person = await createPerson('karla')
    await linkIdentity(person, 'karla-there')
    await expectMails(person.email, 'New sign-in method')
    const mail = (await folder.mails(person.email)).find(({ subject }) => subject.includes('sign-in method'))
    expect(mail?.text).toMatch(/with Work was linked to your account karla/)
  })

  test('of every new password, regardless of who sets it', async () => {
    const person = await createPerson('lotte')
    await env.db.update(users).set({ passwordHash: null }).where(eq(users.id, person.credential.userId))
    await account(person).updatePassword({ password })
    await expectMails(person.email, 'was changed', 1)
    await account(person).updatePassword({ password: newPassword, currentPassword: password })
    await expectMails(person.email, 'was changed', 2)
    await env.operator.setPassword({ login: 'lotte', password })
    await expectMails(person.email, 'was changed', 3)
    const owner = await signInOwner('lotte-admin')
    await env
      .as(AdminUserService, owner)
      .updateUserPassword({ userId: person.credential.userId, password: newPassword })
    await expectMails(person.email, 'was changed', 4)
    await resetPasswordWith(person.email)
    await expectMails(person.email, 'was changed', 5)
  })
})

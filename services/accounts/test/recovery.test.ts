import { createHash, randomBytes } from 'node:crypto'
import { Code } from '@connectrpc/connect'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { MyAccountService } from '@parley/contracts/api'
import { eventually, type TestCaller } from '@parley/testkit'
import { startOidcProvider, type OidcProvider } from '@parley/testkit/oidc-provider'
import { eq, sql } from 'drizzle-orm'
import pg from 'pg'
import { users } from '../src/store/schema.ts'
import { callerOf, callersOf, codeOf, makeUser, openEnv, password, signIn, type Env } from './_env.ts'
import { finishLogin, flows, providerSettings, startLogin } from './_identities.ts'
import { codeIn, mailFolder, type MailFolder } from './_mails.ts'
import { recorded, type Recorded } from './_recorded.ts'
import { signInAt } from './_sign-in-at.ts'

const [minute, hour, day] = [60_000, 3600_000, 24 * 3600_000]
const next = 'another long enough secret'
const origin = 'https://other.example.org'
const redirectUri = `${origin}/callback`
const codeVerifier = randomBytes(32).toString('base64url')
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')

let env: Env
let provider: OidcProvider
let folder: MailFolder
let events: Recorded
let later = 0

beforeAll(async () => {
  env = await openEnv()
  folder = await mailFolder()
  provider = await startOidcProvider(['https://chat.example.org/auth/providers/corp/callback'])
  const client = { client_id: provider.clientId, client_secret: provider.clientSecret, issuer_url: provider.issuer }
  const settings = providerSettings({ ...client, id: 'corp', type: 'oidc', label: 'Work' })
  const overrides = { now: () => new Date(Date.now() + later) }
  await env.start({ ...settings, PARLEY_MAIL_DIR: folder.path }, overrides)
  events = env.use(await recorded(env))
})
afterEach(() => {
  later = 0
})
afterAll(async () => {
  await env[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

type Person = { login: string; email: string; who: TestCaller; proof: { userId: string; credentialId: string } }
const addressOf = (login: string) => `${login}@example.org`
const account = ({ who }: Person) => env.as(MyAccountService, who)

/** A user with a two-day-old account and a new session, which an attacker may share. */
async function person(login: string): Promise<Person> {
  later -= 2 * day
  await makeUser(env, login, { email: addressOf(login) })
  later += 2 * day
  const who = await callerOf(env, login)
  const proof = { userId: who.userId, credentialId: who.credentialId ?? '' }
  return { login, email: addressOf(login), who, proof }
}

async function addAddress({ proof }: Person, email: string): Promise<void> {
  await env.signIn.requestEmailCode({ ...proof, email })
  await env.signIn.confirmEmailCode({ ...proof, email, code: codeIn((await folder.mails(email)).at(-1)) })
}

/** The URL of a browser's return from the provider, which links an identity once it is confirmed. */
async function backFromProvider(whose: Person, subject: string): Promise<URL> {
  const { startUrl } = await account(whose).startExternalIdentityLink({ providerId: 'corp' })
  const linkStart = new URL(startUrl).searchParams.get('link_start') ?? ''
  return signInAt(provider, await startLogin(env, 'corp', { linkStart, userId: whose.proof.userId }), subject)
}
const pendingLink = async (whose: Person, subject: string) =>
  (await finishLogin(env, 'corp', await backFromProvider(whose, subject), { userId: whose.proof.userId }))
    .pendingToken ?? ''
const confirmLink = (token: string) => flows(env).confirmExternalIdentityLink({ token })
const linkIdentity = async (whose: Person, subject: string) => confirmLink(await pendingLink(whose, subject))

const letIn = ({ proof }: Person) => env.signIn.decideConsent({ ...proof, origin, granted: true })
const codeOfClient = async ({ proof }: Person) =>
  (await env.signIn.issueAuthorizationCode({ ...proof, redirectUri, codeChallenge })).code
const exchange = (code: string) => env.signIn.exchangeAuthorizationCode({ code, codeVerifier, redirectUri })

async function resetBy(email: string): Promise<void> {
  const links = async () =>
    (await folder.mails(email)).flatMap(({ text }) => /reset-password\?token=(\w+)/.exec(text)?.[1] ?? [])
  const before = (await links()).length
  await env.signIn.requestPasswordReset({ email })
  const token = await eventually(async () => {
    const found = (await links())[before]
    if (found === undefined) throw new Error('no link came')
    return found
  })
  await env.signIn.resetPassword({ token, password: next })
}

const waysInOf = async ({ login, proof: { userId } }: Person) => ({
  addresses: (await env.operator.listEmails({ login })).emails.map(({ address }) => address),
  identities: (await env.as(MyAccountService, { userId }).listExternalIdentities({})).linkedIdentities.length,
  consents: (await env.as(MyAccountService, { userId }).listOAuthConsents({})).consents.length,
})
const subjectsTo = async (email: string, about: string) =>
  (await folder.mails(email)).filter(({ subject }) => subject.includes(about)).length
const mailed = (email: string, about: string, times = 1) =>
  eventually(async () => expect(await subjectsTo(email, about)).toBe(times))

/** An administrator with a fresh session and an unrelated account. */
async function admin(login: string): Promise<TestCaller> {
  await makeUser(env, login, { roleNames: ['owner'] })
  return callerOf(env, login)
}

const recoveries: [string, (whose: Person) => Promise<unknown>][] = [
  ['a password reset', ({ email }) => resetBy(email)],
  ['the end of all sessions by the operator', ({ login }) => env.operator.endSessions({ login })],
  ['the end of all other sessions', (whose) => account(whose).endMySession({ allOthers: true })],
  ['a changed password', (whose) => account(whose).updatePassword({ password: next, currentPassword: password })],
  ['a password set by the operator', ({ login }) => env.operator.setPassword({ login, password: next })],
  [
    'deactivation',
    async ({ login, proof: { userId } }) =>
      env.as(AdminUserService, await admin(`admin-${login}`)).deactivateUser({ userId }),
  ],
]

describe.each(recoveries)('%s', (name, recover) => {
  const loginFor = (prefix: string) => `${prefix}-${recoveries.findIndex(([one]) => one === name)}`

  test('removes additions of the last hour, and every consent', async () => {
    const whose = await person(loginFor('new'))
    const [mail, subject] = [addressOf(loginFor('thief')), loginFor('thief')]
    await addAddress(whose, mail)
    await linkIdentity(whose, subject)
    await letIn(whose)
    const code = await codeOfClient(whose)
    expect(await waysInOf(whose)).toEqual({ addresses: [whose.email, mail], identities: 1, consents: 1 })
    await recover(whose)
    expect(await waysInOf(whose)).toEqual({ addresses: [whose.email], identities: 0, consents: 0 })
    expect(await codeOf(exchange(code))).toBe(Code.InvalidArgument)
    const back = await finishLogin(env, 'corp', await signInAt(provider, await startLogin(env, 'corp'), subject))
    expect(back.session).toBeUndefined()
    const kinds = await events.kindsOf(whose.proof.userId, 'user_external_identity_unlinked')
    expect(kinds).toEqual(expect.arrayContaining(['oauth_consent_withdrawn', 'user_verified_email_removed']))
  })

  test('keeps older additions, which the owner can remove', async () => {
    const whose = await person(loginFor('old'))
    later -= hour + minute
    const session = await callerOf(env, whose.login)
    const before = { ...whose, who: session, proof: { ...whose.proof, credentialId: session.credentialId ?? '' } }
    await addAddress(before, addressOf(loginFor('second')))
    await linkIdentity(before, loginFor('second'))
    later = 0
    await recover(whose)
    expect(await waysInOf(whose)).toMatchObject({
      addresses: [whose.email, addressOf(loginFor('second'))],
      identities: 1,
    })
  })

  test('invalidates unfinished flows', async () => {
    const whose = await person(loginFor('way'))
    const [subject, mail] = [loginFor('way'), addressOf(loginFor('other'))]
    await env.signIn.requestEmailCode({ ...whose.proof, email: mail })
    const code = codeIn((await folder.mails(mail)).at(-1))
    const { startUrl } = await account(whose).startExternalIdentityLink({ providerId: 'corp' })
    const atProvider = await backFromProvider(whose, subject)
    const pending = await pendingLink(whose, subject)
    const { confirmationToken } = await account(whose).requestAccountDeletion({})
    await recover(whose)
    const { userId } = whose.proof
    // A late return from the provider belongs to an earlier generation.
    const { pendingToken = '' } = await finishLogin(env, 'corp', atProvider, { userId })
    for (const token of [pending, pendingToken]) expect(await codeOf(confirmLink(token))).toBe(Code.NotFound)
    const linkStart = new URL(startUrl).searchParams.get('link_start') ?? ''
    expect(await codeOf(startLogin(env, 'corp', { linkStart, userId }))).toBe(Code.Unauthenticated)
    expect(await codeOf(account(whose).deleteMyAccount({ confirmationToken }))).toBe(Code.NotFound)
    const confirmed = await codeOf(env.signIn.confirmEmailCode({ ...whose.proof, email: mail, code }))
    expect([Code.InvalidArgument, Code.Unauthenticated]).toContain(confirmed)
    expect(await waysInOf(whose)).toMatchObject({ addresses: [whose.email], identities: 0 })
  })
})

describe('an attacker with a fresh session', () => {
  test('an attacker who resets the password through an added address loses the address, and the owner regains the account', async () => {
    const whose = await person('berta')
    await addAddress(whose, 'thief-b@example.org')
    await mailed(whose.email, 'New e-mail address')
    await resetBy('thief-b@example.org')
    expect(await waysInOf(whose)).toMatchObject({ addresses: [whose.email] })
    await mailed(whose.email, 'was changed')
    later = 6 * minute
    await resetBy(whose.email)
    expect((await signIn(env, 'berta', next)).session.userId).toBe(whose.proof.userId)
  })

  test('cannot remove the address of the owner, with or without adding another', async () => {
    const whose = await person('cora')
    const { removeEmailAddress, listEmailAddresses } = account(whose)
    expect(await codeOf(removeEmailAddress({ address: whose.email }))).toBe(Code.FailedPrecondition)
    await addAddress(whose, 'thief-c@example.org')
    expect(await codeOf(removeEmailAddress({ address: whose.email }))).toBe(Code.FailedPrecondition)
    const { addresses } = await listEmailAddresses({})
    expect(addresses.map(({ address, removable }) => [address, removable])).toEqual([
      [whose.email, false],
      ['thief-c@example.org', true],
    ])
  })

  test('loses access with the session, also in waiting calls', async () => {
    const whose = await person('dina')
    await env.signIn.requestEmailCode({ ...whose.proof, email: 'thief-d@example.org' })
    const code = codeIn((await folder.mails('thief-d@example.org')).at(-1))
    await env.db.update(users).set({ passwordHash: null }).where(eq(users.id, whose.proof.userId))
    const other = new pg.Client({ connectionString: env.database.url })
    await other.connect()
    try {
      await other.query('begin')
      await other.query('select 1 from users where id = $1 for update', [whose.proof.userId])
      const waiting = Promise.all([
        codeOf(env.signIn.confirmEmailCode({ ...whose.proof, email: 'thief-d@example.org', code })),
        codeOf(account(whose).updatePassword({ password: next })),
        codeOf(account(whose).endMySession({ allOthers: true })),
        codeOf(account(whose).removeEmailAddress({ address: whose.email })),
        codeOf(letIn(whose)),
      ])
      await eventually(async () => {
        const stopped = await env.db.execute(
          sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        expect(stopped.rowCount).toBe(5)
      })
      await other.query('update credentials set ended_at = now() where user_id = $1', [whose.proof.userId])
      await other.query('commit')
      // On a slow machine a call may time out waiting for the lock, which has no effect either.
      const ended = (await waiting).filter((code) => code !== Code.Unavailable)
      expect(new Set(ended)).toEqual(new Set([Code.Unauthenticated]))
    } finally {
      await other.end()
    }
    expect(await waysInOf(whose)).toEqual({ addresses: [whose.email], identities: 0, consents: 0 })
  })
})

test('ending all other sessions keeps the calling one, its browser and its token', async () => {
  const whose = await person('edda')
  const { digests } = await signIn(env, 'edda')
  const own = (await callersOf(env, digests)).values().next().value
  const mine = env.as(MyAccountService, { userId: whose.proof.userId, credentialId: own?.credentialId ?? '' })
  expect((await mine.endMySession({ allOthers: true })).ended).toBe(1)
  expect((await callersOf(env, digests)).size).toBe(2)
  expect((await mine.listMySessions({})).sessions).toHaveLength(1)
  expect((await mine.endMySession({ allOthers: true })).ended).toBe(0)
})

describe('an address', () => {
  test('is removed by its owner with a fresh session, and both are notified', async () => {
    const whose = await person('fanny')
    await addAddress(whose, 'Second-F@example.org')
    const { removeEmailAddress } = account(whose)
    expect(await codeOf(removeEmailAddress({ address: 'unknown@example.org' }))).toBe(Code.NotFound)
    later = 31 * minute
    expect(await codeOf(removeEmailAddress({ address: 'second-f@example.org' }))).toBe(Code.FailedPrecondition)
    const { addresses } = await removeEmailAddress({ address: 'second-f@example.org', currentPassword: password })
    expect(addresses.map(({ address }) => address)).toEqual([whose.email])
    for (const email of [whose.email, 'Second-F@example.org']) await mailed(email, 'E-mail address removed')
    expect(await events.kindsOf(whose.proof.userId, 'user_verified_email_removed')).toContain(
      'user_verified_email_added',
    )
    expect(await codeOf(signIn(env, 'second-f@example.org'))).toBe(Code.Unauthenticated)
  })

  test('removing an address invalidates password links mailed to it', async () => {
    const whose = await person('gina')
    await addAddress(whose, 'second-g@example.org')
    await env.signIn.requestPasswordReset({ email: 'second-g@example.org' })
    const token = await eventually(async () => {
      const mail = (await folder.mails('second-g@example.org')).at(-1)
      const found = /reset-password\?token=(\w+)/.exec(mail?.text ?? '')?.[1]
      if (found === undefined) throw new Error('no link came')
      return found
    })
    await account(whose).removeEmailAddress({ address: 'second-g@example.org' })
    expect(await codeOf(env.signIn.resetPassword({ token, password: next }))).toBe(Code.InvalidArgument)
  })

  test('may be removed before an older one after a week', async () => {
    const whose = await person('hilde')
    await addAddress(whose, 'second-h@example.org')
    later = 7 * day + minute
    const session = await callerOf(env, 'hilde')
    const { addresses } = await env.as(MyAccountService, session).removeEmailAddress({ address: whose.email })
    expect(addresses.map(({ address, removable }) => [address, removable])).toEqual([['second-h@example.org', false]])
  })

  test('can be removed only by administrators, even the last one, and that of an owner only by owners', async () => {
    const [whose, owner] = [await person('ida'), await admin('ida-admin')]
    const as = (who: TestCaller) => env.as(AdminUserService, who)
    const requested = { userId: whose.proof.userId, address: whose.email }
    expect(await codeOf(as(whose.who).removeUserEmailAddress(requested))).toBe(Code.PermissionDenied)
    const own = { userId: owner.userId, address: whose.email }
    expect(await codeOf(as(owner).removeUserEmailAddress(own))).toBe(Code.PermissionDenied)
    await makeUser(env, 'ida-second', { roleNames: ['admin'] })
    const second = await callerOf(env, 'ida-second')
    expect(await codeOf(as(second).removeUserEmailAddress(own))).toBe(Code.PermissionDenied)
    later = 31 * minute
    expect(await codeOf(as(owner).removeUserEmailAddress(requested))).toBe(Code.FailedPrecondition)
    const { member } = await as(owner).removeUserEmailAddress({ ...requested, currentPassword: password })
    expect(member?.verifiedEmails).toEqual([])
    await mailed(whose.email, 'E-mail address removed')
    expect(await codeOf(as(owner).removeUserEmailAddress(requested))).toBeUndefined()
  })

  test('is listed and removed by the operator; one added by the operator survives a recovery', async () => {
    const whose = await person('jana')
    await env.operator.verifyEmail({ login: 'jana', email: 'second-j@example.org' })
    await mailed(whose.email, 'New e-mail address')
    await env.operator.endSessions({ login: 'jana' })
    expect(await waysInOf(whose)).toMatchObject({ addresses: [whose.email, 'second-j@example.org'] })
    await env.operator.removeEmail({ login: 'jana', email: 'SECOND-J@example.org' })
    expect(await waysInOf(whose)).toMatchObject({ addresses: [whose.email] })
    const again = env.operator.removeEmail({ login: 'jana', email: 'second-j@example.org' })
    expect(await codeOf(again)).toBe(Code.NotFound)
    expect(await codeOf(env.operator.listEmails({ login: 'nobody' }))).toBe(Code.NotFound)
  })
})

describe('the addresses of an account are notified', () => {
  test('of a linked identity', async () => {
    const whose = await person('karla')
    await linkIdentity(whose, 'karla-there')
    await mailed(whose.email, 'New sign-in method')
    const mail = (await folder.mails(whose.email)).find(({ subject }) => subject.includes('sign-in method'))
    expect(mail?.text).toMatch(/with Work was linked to your account karla/)
  })

  test('of every new password, regardless of who sets it', async () => {
    const whose = await person('lotte')
    await env.db.update(users).set({ passwordHash: null }).where(eq(users.id, whose.proof.userId))
    await account(whose).updatePassword({ password })
    await mailed(whose.email, 'was changed', 1)
    await account(whose).updatePassword({ password: next, currentPassword: password })
    await mailed(whose.email, 'was changed', 2)
    await env.operator.setPassword({ login: 'lotte', password })
    await mailed(whose.email, 'was changed', 3)
    const owner = await admin('lotte-admin')
    await env.as(AdminUserService, owner).updateUserPassword({ userId: whose.proof.userId, password: next })
    await mailed(whose.email, 'was changed', 4)
    await resetBy(whose.email)
    await mailed(whose.email, 'was changed', 5)
  })
})

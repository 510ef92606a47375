import { toJsonString } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { EventSchema } from '@parley/contracts/internal'
import { sql } from 'drizzle-orm'
import { callerOf, codeOf, makeUser, useEnv, password, signIn } from './_env.ts'
import { createMailFolder, type MailFolder } from './_mails.ts'
import { recordUserEvents, type UserEvents } from './_user-events.ts'
import { endSessionsOf, whileLocked } from './_while-locked.ts'

const env = useEnv()
let events: UserEvents
let mails: MailFolder
let now = new Date()
let owner: string
let admin: string

beforeAll(async () => {
  mails = env.use(await createMailFolder())
  await env.start(
    {
      PARLEY_MAIL_DIR: mails.path,
      PARLEY_AUTH_DIRECT_REGISTRATION: 'false',
      PARLEY_OWNERS_EMAILS: 'chief@example.org',
    },
    { now: () => now },
  )
  events = env.use(await recordUserEvents(env))
  owner = await makeSignedIn('owner1', 'owner')
  admin = await makeSignedIn('admin1', 'admin')
})

beforeEach(() => {
  now = new Date()
})

const credentialIds = new Map<string, string | undefined>()
async function makeSignedIn(login: string, roleName: string, email = ''): Promise<string> {
  const userId = await makeUser(env, login, { email, roleNames: [roleName] })
  credentialIds.set(userId, (await callerOf(env, login)).credentialId)
  return userId
}
const as = (userId: string, ...roleIds: string[]) =>
  env.as(AdminUserService, { userId, roleIds, credentialId: credentialIds.get(userId) ?? 'none' })
const byAdmin = () => as(admin, 'admin')
const tokenOf = (url: string) => new URL(url).hash.slice(1)
const accept = (token: string, login: string) =>
  env.signIn.acceptInvite({ token, login, password, userAgent: 'Test/1', cookieOnly: true })
const laterBy = (days: number) => new Date(now.getTime() + days * 86_400_000)

describe('an invite', () => {
  test('creates one account with its roles, even if registration is closed', async () => {
    const { invite, url } = await byAdmin().createInvite({ label: ' desk ', roleNames: ['moderator'] })
    expect(invite).toMatchObject({ label: 'desk', email: '', roleNames: ['moderator'], maxUses: 1, uses: 0 })
    expect(invite).toMatchObject({ createdByUserId: admin })
    expect(url).toMatch(/^https:\/\/chat\.example\.org\/invite#[0-9A-Za-z]{43}$/)
    expect(await env.signIn.getInvite({ token: tokenOf(url) })).toMatchObject({ email: '' })

    const session = await accept(tokenOf(url), 'anna')
    expect(session).toMatchObject({ login: 'anna', token: '' })
    expect(session.cookieHandle).not.toBe('')
    const { member } = await byAdmin().getMember({ target: { case: 'userId', value: session.userId } })
    expect(member).toMatchObject({ roles: ['moderator'], hasVerifiedEmail: false })
    expect((await signIn(env, 'anna')).session.userId).toBe(session.userId)
    expect(await codeOf(accept(tokenOf(url), 'anna2'))).toBe(Code.NotFound)
    expect(await codeOf(env.signIn.getInvite({ token: tokenOf(url) }))).toBe(Code.NotFound)
    expect(await events.waitFor(session.userId, 'invite_accepted')).toContain('rbac_role_assigned')
    await events.waitFor(admin, 'invite_created')
  })

  test('is stored as a digest, and no event contains its token', async () => {
    const { url } = await byAdmin().createInvite({})
    const { rows } = await env.db.execute(sql`select * from invites`)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(tokenOf(url))
    await events.waitFor(admin, 'invite_created')
    const published = events.of(admin).map((event) => toJsonString(EventSchema, event))
    expect(published.join()).not.toContain(tokenOf(url))
  })

  test('creates no more accounts than allowed, even concurrently', async () => {
    const { url } = await byAdmin().createInvite({ maxUses: 2 })
    const codes = await Promise.all(['b1', 'b2', 'b3', 'b4'].map((login) => codeOf(accept(tokenOf(url), login))))
    expect(codes.filter((code) => code === undefined)).toHaveLength(2)
    expect(codes.filter((code) => code === Code.NotFound)).toHaveLength(2)
  })

  test('is not used up by an unavailable login or a short password', async () => {
    const { url } = await byAdmin().createInvite({})
    expect(await codeOf(accept(tokenOf(url), 'ADMIN1'))).toBe(Code.AlreadyExists)
    expect(await codeOf(accept(tokenOf(url), 'a..b'))).toBe(Code.InvalidArgument)
    expect(await codeOf(env.signIn.acceptInvite({ token: tokenOf(url), login: 'short', password: '1234567' }))).toBe(
      Code.InvalidArgument,
    )
    expect(await codeOf(accept(tokenOf(url), 'carl'))).toBeUndefined()
  })

  test('is invalid once it has expired', async () => {
    const { url } = await byAdmin().createInvite({ expiresAt: timestampFromDate(laterBy(2)) })
    now = laterBy(1.9)
    expect(await env.signIn.getInvite({ token: tokenOf(url) })).toMatchObject({})
    now = laterBy(0.2)
    expect(await codeOf(accept(tokenOf(url), 'dora'))).toBe(Code.NotFound)
    expect(await codeOf(env.signIn.getInvite({ token: tokenOf(url) }))).toBe(Code.NotFound)
  })

  test('can be revoked by anybody who may invite, and is invalid then', async () => {
    const { invite, url } = await byAdmin().createInvite({ maxUses: 5 })
    const id = invite?.id ?? ''
    await accept(tokenOf(url), 'emil')
    expect(await as(owner, 'owner').revokeInvite({ inviteId: id })).toMatchObject({ revoked: true })
    expect(await byAdmin().revokeInvite({ inviteId: id })).toMatchObject({ revoked: false })
    expect(await codeOf(accept(tokenOf(url), 'emil2'))).toBe(Code.NotFound)
    expect((await signIn(env, 'emil')).session.login).toBe('emil')
    expect(await events.waitFor(owner, 'invite_revoked')).toContain('invite_revoked')
  })

  test('is valid only while its creator may invite', async () => {
    const creator = await makeSignedIn('creator', 'admin')
    const urlOfCreator = (await as(creator, 'admin').createInvite({ maxUses: 9 })).url
    const urlOfOwner = (await as(owner, 'owner').createInvite({ roleNames: ['owner'] })).url
    await byAdmin().revokeRole({ userId: creator, roleName: 'admin' })
    expect(await codeOf(accept(tokenOf(urlOfCreator), 'fritz'))).toBe(Code.NotFound)
    await byAdmin().assignRole({ userId: creator, roleName: 'admin' })
    expect(await codeOf(accept(tokenOf(urlOfCreator), 'fritz'))).toBeUndefined()
    await byAdmin().deactivateUser({ userId: creator })
    expect(await codeOf(accept(tokenOf(urlOfCreator), 'gerda'))).toBe(Code.NotFound)
    expect(await codeOf(accept(tokenOf(urlOfOwner), 'gerda'))).toBeUndefined()
  })

  test('is revoked permanently if its creator is deactivated', async () => {
    const creator = await makeSignedIn('maker2', 'admin')
    const { invite, url } = await as(creator, 'admin').createInvite({ maxUses: 9 })
    await byAdmin().deactivateUser({ userId: creator })
    expect((await byAdmin().listInvites({})).invites.map(({ id }) => id)).not.toContain(invite?.id)
    await byAdmin().reactivateUser({ userId: creator })
    expect(await codeOf(accept(tokenOf(url), 'hilde'))).toBe(Code.NotFound)
    expect(await events.waitFor(creator, 'invite_revoked')).toContain('invite_revoked')
  })

  test('is refused if its creator loses the permission while it is accepted', async () => {
    const creator = await makeSignedIn('maker3', 'admin')
    const { invite, url } = await as(creator, 'admin').createInvite({ roleNames: ['admin'] })
    const codes = await whileLocked(env, 'invites', invite?.id ?? '', {
      calls: () => [accept(tokenOf(url), 'henry')],
      meanwhile: () => byAdmin().revokeRole({ userId: creator, roleName: 'admin' }),
    })
    expect(codes).toEqual([Code.NotFound])
  })

  test('cannot be created if the session ends while the call waits', async () => {
    const creator = await makeSignedIn('maker4', 'admin')
    const codes = await whileLocked(env, 'users', creator, {
      calls: () => [as(creator, 'admin').createInvite({})],
      meanwhile: () => endSessionsOf(env, creator),
    })
    expect(codes).toEqual([Code.Unauthenticated])
  })
})

describe('an invite for an address', () => {
  test('is mailed only to this address, and verifies it', async () => {
    const { invite, url } = await byAdmin().createInvite({ email: ' Hans@example.org ' })
    expect({ url, email: invite?.email }).toEqual({ url: '', email: 'Hans@example.org' })
    const [mail] = await mails.mails('Hans@example.org')
    const token = /invite#([0-9A-Za-z]{43})/.exec(mail?.text ?? '')?.[1] ?? ''
    expect(await env.signIn.getInvite({ token })).toMatchObject({ email: 'Hans@example.org' })
    const { userId } = await accept(token, 'hans')
    const { member } = await byAdmin().getMember({ target: { case: 'userId', value: userId } })
    expect(member?.verifiedEmails).toEqual(['Hans@example.org'])
    expect(await codeOf(byAdmin().createInvite({ email: 'hans@EXAMPLE.org' }))).toBe(Code.AlreadyExists)
  })

  test('can be used only once, and needs a valid address', async () => {
    expect(await codeOf(byAdmin().createInvite({ email: 'i@example.org', maxUses: 2 }))).toBe(Code.InvalidArgument)
    expect(await codeOf(byAdmin().createInvite({ email: 'no address' }))).toBe(Code.InvalidArgument)
  })

  test('that would create an owner can be created only by an owner', async () => {
    const email = 'Chief@example.org'
    expect(await codeOf(byAdmin().createInvite({ email }))).toBe(Code.PermissionDenied)
    expect(await codeOf(byAdmin().createUser({ login: 'chief', password, email }))).toBe(Code.PermissionDenied)
    expect(await codeOf(as(owner, 'owner').createInvite({ email }))).toBeUndefined()
  })

  test('is deleted with the account that has the address, or with its creator', async () => {
    const invited = await makeSignedIn('ida', 'admin', 'ida@example.org')
    await env.db.execute(sql`update invites set email = 'IDA@example.org' where email = 'Chief@example.org'`)
    await as(invited, 'admin').createInvite({ label: 'of ida' })
    const left = async () =>
      (await env.db.execute(sql`select id from invites where lower(email) = 'ida@example.org' or label = 'of ida'`))
        .rows
    expect(await left()).toHaveLength(2)
    await env.as(AdminUserService, await callerOf(env, 'owner1')).deleteUser({ userId: invited })
    expect(await left()).toHaveLength(0)
  })
})

test('valid invites are listed in pages, newest first', async () => {
  await env.db.execute(sql`delete from invites`)
  for (const label of ['one', 'two', 'three']) {
    now = new Date(now.getTime() + 1_000)
    await byAdmin().createInvite({ label, expiresAt: timestampFromDate(laterBy(label === 'two' ? 1 : 3)) })
  }
  const first = await byAdmin().listInvites({ page: { limit: 2 } })
  expect(first.invites.map(({ label }) => label)).toEqual(['three', 'two'])
  expect(first.page).toMatchObject({ totalCount: 3n, hasMore: true })
  const rest = await byAdmin().listInvites({ page: { limit: 2, cursor: first.page?.nextCursor ?? '' } })
  expect(rest.invites.map(({ label }) => label)).toEqual(['one'])
  expect(rest.page).toMatchObject({ hasMore: false, nextCursor: '' })
  expect(await codeOf(byAdmin().listInvites({ page: { cursor: 'nonsense' } }))).toBe(Code.InvalidArgument)
  now = laterBy(2)
  expect((await byAdmin().listInvites({})).invites.map(({ label }) => label)).toEqual(['three', 'one'])
  const [expiring] = (await byAdmin().listInvites({})).invites
  expect(expiring?.expiresAt && timestampDate(expiring.expiresAt).getTime()).toBeGreaterThan(now.getTime())
})

describe('inviting', () => {
  test('needs user.manage-accounts, and the role owner if it would create an owner', async () => {
    const userId = await makeUser(env, 'kurt')
    const denied = [
      as(userId).createInvite({}),
      as(userId).listInvites({}),
      as(userId).revokeInvite({ inviteId: 'I1' }),
      as(userId).createUser({ login: 'lena', password }),
      byAdmin().createInvite({ roleNames: ['owner'] }),
      byAdmin().createUser({ login: 'lena', password, roleNames: ['owner'] }),
    ]
    for (const call of denied) expect(await codeOf(call)).toBe(Code.PermissionDenied)
    expect(await codeOf(byAdmin().createInvite({ roleNames: ['everyone'] }))).toBe(Code.InvalidArgument)
    expect(await codeOf(byAdmin().createInvite({ roleNames: ['nothing'] }))).toBe(Code.NotFound)
  })
})

describe('an account created by an administrator', () => {
  test('has the requested properties and can sign in', async () => {
    const { member } = await byAdmin().createUser({
      ...{ login: 'mona', displayName: 'Mona M', password, email: 'mona@example.org', roleNames: ['moderator'] },
    })
    expect(member).toMatchObject({
      user: { login: 'mona', displayName: 'Mona M' },
      roles: ['moderator'],
      verifiedEmails: ['mona@example.org'],
    })
    const userId = member?.user?.id ?? ''
    expect((await signIn(env, 'mona@example.org')).session.userId).toBe(userId)
    await events.waitFor(userId, 'user_created')
    expect(events.of(userId).find(({ kind }) => kind === 'user_created')?.actorId).toBe(admin)
  })

  test('is neither created nor changed by a session that has ended', async () => {
    const endedAdmin = await makeSignedIn('maker5', 'admin')
    const { userId } = await callerOf(env, 'mona@example.org')
    const changes = await whileLocked(env, 'users', userId, {
      calls: () => [
        as(endedAdmin, 'admin').updateUserPassword({ userId, password: 'another long enough secret' }),
        as(endedAdmin, 'admin').removeUserEmailAddress({ userId, address: 'mona@example.org' }),
      ],
      meanwhile: () => endSessionsOf(env, endedAdmin),
    })
    expect(changes).toEqual([Code.Unauthenticated, Code.Unauthenticated])
    expect(await codeOf(as(endedAdmin, 'admin').createUser({ login: 'nadja', password }))).toBe(Code.Unauthenticated)
  })

  test('is refused for invalid or taken names and invalid passwords', async () => {
    for (const wrong of [{ login: 'root' }, { login: 'all' }, { login: 'a..b' }, { displayName: 'a\u200Bb' }])
      expect(await codeOf(byAdmin().createUser({ login: 'nina', password, ...wrong }))).toBe(Code.InvalidArgument)
    expect(await codeOf(byAdmin().createUser({ login: 'nina', password: '1234567' }))).toBe(Code.InvalidArgument)
    expect(await codeOf(byAdmin().createUser({ login: 'ADMIN1', password }))).toBe(Code.AlreadyExists)
  })
})

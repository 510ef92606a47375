import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { UserService } from '@parley/contracts/api'
import { callersOf, codeOf, makeUser, useEnv, password, signIn } from './_env.ts'
import { createMailFolder, type MailFolder } from './_mails.ts'
import { deliveriesOf, recordUserEvents, type UserEvents } from './_user-events.ts'

const env = useEnv()
let events: UserEvents
let mails: MailFolder
let owner: string
let admin: string

beforeAll(async () => {
  mails = env.use(await createMailFolder())
  await env.start({ PARLEY_MAIL_DIR: mails.path })
  events = env.use(await recordUserEvents(env))
  owner = await makeUser(env, 'owner1', { roleNames: ['owner'] })
  admin = await makeUser(env, 'admin1', { roleNames: ['admin'] })
})

const as = (userId: string, ...roleIds: string[]) => env.as(AdminUserService, { userId, roleIds })
const byAdmin = () => as(admin, 'admin')

describe('a deactivated account', () => {
  test('loses every session, and cannot start another one', async () => {
    const userId = await makeUser(env, 'anna', { email: 'anna@example.org' })
    const { digests } = await signIn(env, 'anna')
    const { member } = await byAdmin().deactivateUser({ userId })
    expect(member).toMatchObject({ user: { id: userId, deleted: false }, viewerCanDeactivate: true })
    expect(member?.deactivatedAt).toBeDefined()
    expect(await callersOf(env, digests)).toEqual(new Map())
    expect(await codeOf(signIn(env, 'anna'))).toBe(Code.PermissionDenied)
    expect(await codeOf(signIn(env, 'anna@example.org'))).toBe(Code.PermissionDenied)
    // Callers who do not know the password learn nothing.
    expect(await codeOf(signIn(env, 'anna', 'wrong password'))).toBe(Code.Unauthenticated)
    const kinds = await events.waitFor(userId, 'credentials_ended')
    expect(kinds).toContain('user_account_deactivated')
    const ended = events.of(userId).find(({ kind }) => kind === 'credentials_ended')
    expect(ended).toMatchObject({ actorId: admin, fact: { value: { all: true, reason: 'account_deactivated' } } })
    expect(deliveriesOf(ended)).toMatchObject([{ envelope: { event: { value: { reason: 'account_deactivated' } } } }])
  })

  test('keeps its names, but is not in the directory', async () => {
    const userId = await makeUser(env, 'bert')
    const people = env.as(UserService, { userId: admin, roleIds: [] })
    const found = async () => (await people.listUsers({ search: 'bert' })).users.map(({ user }) => user?.id)
    expect(await found()).toEqual([userId])
    await byAdmin().deactivateUser({ userId })
    expect(await found()).toEqual([])
    expect((await people.getUser({ target: { case: 'userId', value: userId } })).user?.user?.login).toBe('bert')
    const { members } = await byAdmin().listMembers({ search: 'bert' })
    expect(members.map(({ user }) => user?.id)).toEqual([userId])
    expect((await env.internal.getProfiles({ userIds: [userId, admin] })).profiles).toMatchObject([
      ...[{ deactivated: true }, { deactivated: false }],
    ])
    expect(await codeOf(makeUser(env, 'bert'))).toBe(Code.AlreadyExists)
  })

  test('can sign in again once it is reactivated', async () => {
    const userId = await makeUser(env, 'carl')
    const { digests } = await signIn(env, 'carl')
    await byAdmin().deactivateUser({ userId })
    const { member } = await byAdmin().reactivateUser({ userId })
    expect(member?.deactivatedAt).toBeUndefined()
    expect(await callersOf(env, digests)).toEqual(new Map())
    expect((await signIn(env, 'carl')).session.userId).toBe(userId)
    expect(await events.waitFor(userId, 'user_account_reactivated')).toContain('user_account_deactivated')
  })

  test('is announced once, even if it is deactivated repeatedly', async () => {
    const userId = await makeUser(env, 'dora')
    await Promise.all([byAdmin().deactivateUser({ userId }), byAdmin().deactivateUser({ userId })])
    await byAdmin().reactivateUser({ userId })
    await byAdmin().reactivateUser({ userId })
    const kinds = await events.waitFor(userId, 'user_account_reactivated')
    expect(kinds.filter((kind) => kind === 'user_account_deactivated')).toHaveLength(1)
  })

  test('gets no link for resetting its password', async () => {
    const userId = await makeUser(env, 'emil', { email: 'emil@example.org' })
    const request = () => env.signIn.requestPasswordReset({ email: 'emil@example.org' })
    await byAdmin().deactivateUser({ userId })
    await request()
    await byAdmin().reactivateUser({ userId })
    await request()
    const kinds = await events.waitFor(userId, 'password_reset_link_issued')
    expect(kinds.indexOf('password_reset_link_issued')).toBeGreaterThan(kinds.indexOf('user_account_reactivated'))
  })
})

describe('deactivating an account', () => {
  test('needs user.manage-accounts; administrators cannot deactivate themselves or owners', async () => {
    const userId = await makeUser(env, 'fritz')
    const denied = [
      as(userId).deactivateUser({ userId: admin }),
      as(userId, 'moderator').reactivateUser({ userId: admin }),
      byAdmin().deactivateUser({ userId: admin }),
      byAdmin().deactivateUser({ userId: owner }),
      byAdmin().reactivateUser({ userId: owner }),
    ]
    for (const call of denied) expect(await codeOf(call)).toBe(Code.PermissionDenied)
    expect(await codeOf(byAdmin().deactivateUser({ userId: 'Unobody' }))).toBe(Code.NotFound)
    expect((await signIn(env, 'owner1', password)).session.userId).toBe(owner)
  })

  test('is refused for the last owner who can sign in', async () => {
    const second = await makeUser(env, 'owner2', { roleNames: ['owner'] })
    const third = await makeUser(env, 'owner3', { roleNames: ['owner'] })
    await as(second, 'owner').deactivateUser({ userId: owner })
    await as(second, 'owner').deactivateUser({ userId: third })
    // The caller is deactivated, but the gateway may not know that yet.
    expect(await codeOf(as(owner, 'owner').deactivateUser({ userId: second }))).toBe(Code.FailedPrecondition)
    expect(await codeOf(as(owner, 'owner').revokeRole({ userId: second, roleName: 'owner' }))).toBe(
      Code.FailedPrecondition,
    )
    await as(second, 'owner').reactivateUser({ userId: owner })
  })
})

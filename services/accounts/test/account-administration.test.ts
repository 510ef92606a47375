import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { MyAccountService } from '@parley/contracts/api'
import { callerOf, callersOf, codeOf, makeUser, useEnv, password, signIn } from './_env.ts'
import { deliveriesOf, recordUserEvents, type UserEvents } from './_user-events.ts'

const env = useEnv()
let events: UserEvents
let now: Date
let owner: string
let admin: string

beforeAll(async () => {
  now = new Date()
  await env.start({}, { now: () => now })
  events = env.use(await recordUserEvents(env))
  owner = await makeUser(env, 'owner1', { roleNames: ['owner'] })
  admin = await makeUser(env, 'admin1', { roleNames: ['admin'] })
})

const as = (userId: string, ...roleIds: string[]) => env.as(AdminUserService, { userId, roleIds })
/** The client's credential is fresh. */
const clientOf = async (login: string) => env.as(AdminUserService, await callerOf(env, login))

describe('changing another user’s names', () => {
  test('is announced to everyone, with the administrator as actor', async () => {
    const userId = await makeUser(env, 'anna')
    const { user, member } = await as(admin, 'admin').updateUser({ userId, displayName: 'Anna A', login: 'anna2' })
    expect(user).toMatchObject({ id: userId, login: 'anna2', displayName: 'Anna A' })
    expect(member?.user).toEqual(user)
    expect(await events.waitFor(userId, 'user_login_changed')).toEqual([
      ...['user_created', 'user_profile_updated', 'user_display_name_changed', 'user_login_changed'],
    ])
    const [, updated] = events.of(userId)
    expect(updated?.actorId).toBe(admin)
    expect(deliveriesOf(updated)).toMatchObject([
      { to: 'everyone', envelope: { event: { value: { userId, login: 'anna2', displayName: 'Anna A' } } } },
    ])
  })

  test('neither waits for the login cooldown nor starts it', async () => {
    const userId = await makeUser(env, 'bert')
    const userClient = env.as(MyAccountService, { userId })
    await as(admin, 'admin').updateUser({ userId, login: 'bert2' })
    expect((await userClient.updateProfile({ login: 'bert3' })).user).toMatchObject({ login: 'bert3' })
    await as(admin, 'admin').updateUser({ userId, login: 'bert4' })
    expect(await codeOf(userClient.updateProfile({ login: 'bert5' }))).toBe(Code.FailedPrecondition)
  })

  test('is refused for invalid and taken names', async () => {
    const userId = await makeUser(env, 'carl')
    for (const login of ['root', 'admin', 'all', 'x', 'carl.'])
      expect(await codeOf(as(admin, 'admin').updateUser({ userId, login }))).toBe(Code.InvalidArgument)
    expect(await codeOf(as(admin, 'admin').updateUser({ userId, displayName: 'a\u200Bb' }))).toBe(Code.InvalidArgument)
    expect(await codeOf(as(admin, 'admin').updateUser({ userId }))).toBe(Code.InvalidArgument)
    expect(await codeOf(as(admin, 'admin').updateUser({ userId, login: 'OWNER1' }))).toBe(Code.AlreadyExists)
  })
})

describe('setting another user’s password', () => {
  test('ends all credentials of that user', async () => {
    const userId = await makeUser(env, 'dora')
    const { digests } = await signIn(env, 'dora')
    const client = await clientOf('admin1')
    const { member } = await client.updateUserPassword({ userId, password: 'another password' })
    expect(member?.user?.id).toBe(userId)
    expect(await callersOf(env, digests)).toEqual(new Map())
    expect(await codeOf(signIn(env, 'dora'))).toBe(Code.Unauthenticated)
    expect((await signIn(env, 'dora', 'another password')).session.userId).toBe(userId)
    const kinds = await events.waitFor(userId, 'credentials_ended')
    expect(kinds).toContain('user_password_hash_changed')
    const ended = events.of(userId).find(({ kind }) => kind === 'credentials_ended')
    expect(deliveriesOf(ended)).toMatchObject([
      { to: userId, envelope: { event: { value: { reason: 'password_changed' } } } },
    ])
  })

  test('needs a fresh credential or the caller’s password', async () => {
    const userId = await makeUser(env, 'emil')
    const client = await clientOf('admin1')
    expect(await codeOf(client.updateUserPassword({ userId, password: '1234567' }))).toBe(Code.InvalidArgument)
    now = new Date(now.getTime() + 31 * 60_000)
    expect(await codeOf(client.updateUserPassword({ userId, password: 'another password' }))).toBe(
      Code.FailedPrecondition,
    )
    expect(
      await codeOf(client.updateUserPassword({ userId, password: 'another password', currentPassword: 'x' })),
    ).toBe(Code.InvalidArgument)
    expect((await signIn(env, 'emil')).session.userId).toBe(userId)
    await client.updateUserPassword({ userId, password: 'another password', currentPassword: password })
    expect((await signIn(env, 'emil', 'another password')).session.userId).toBe(userId)
  })
})

describe('clearing another user’s login cooldown', () => {
  test('lets that user change the login immediately', async () => {
    const userId = await makeUser(env, 'fritz')
    const userClient = env.as(MyAccountService, { userId })
    await userClient.updateProfile({ login: 'fritz2' })
    expect(await as(admin, 'admin').clearUsernameCooldown({ userId })).toMatchObject({ cleared: true })
    expect(await as(admin, 'admin').clearUsernameCooldown({ userId })).toMatchObject({ cleared: true })
    expect((await userClient.updateProfile({ login: 'fritz3' })).user).toMatchObject({ login: 'fritz3' })
    const kinds = await events.waitFor(userId, 'user_login_cooldown_started', 2)
    expect(kinds).toEqual([
      'user_created',
      ...['user_profile_updated', 'user_login_changed', 'user_login_cooldown_started'],
      ...['user_profile_updated', 'user_login_cooldown_cleared'],
      ...['user_profile_updated', 'user_login_changed', 'user_login_cooldown_started'],
    ])
  })
})

describe('changing', () => {
  const another = 'another password'
  const attempts: [string, (client: ReturnType<typeof as>, userId: string) => Promise<unknown>][] = [
    ['names', (client, userId) => client.updateUser({ userId, displayName: 'Taken Over' })],
    ['password', (client, userId) => client.updateUserPassword({ userId, password: another })],
    ['login cooldown', (client, userId) => client.clearUsernameCooldown({ userId })],
  ]

  test.each(attempts)('the %s of an account needs user.manage-accounts', async (what, attempt) => {
    const userId = await makeUser(env, `gerd-${what.length}`)
    const login = `mod-${what.length}`
    await makeUser(env, login, { roleNames: ['moderator'] })
    expect(await codeOf(attempt(await clientOf(login), userId))).toBe(Code.PermissionDenied)
  })

  test.each(attempts)('the %s of the caller’s own account is refused', async (_, attempt) => {
    expect(await codeOf(attempt(await clientOf('admin1'), admin))).toBe(Code.PermissionDenied)
    expect(await codeOf(attempt(await clientOf('owner1'), owner))).toBe(Code.PermissionDenied)
  })

  test.each(attempts)('the %s of an owner is allowed only to owners', async (what, attempt) => {
    const login = `owner-${what.length}`
    const userId = await makeUser(env, login, { roleNames: ['owner'] })
    expect(await codeOf(attempt(await clientOf('admin1'), userId))).toBe(Code.PermissionDenied)
    expect((await signIn(env, login, password)).session.userId).toBe(userId)
    expect(await codeOf(attempt(await clientOf('owner1'), userId))).toBeUndefined()
  })

  test.each(attempts)('the %s of an unknown account fails with not_found', async (_, attempt) => {
    expect(await codeOf(attempt(await clientOf('admin1'), 'Unobody'))).toBe(Code.NotFound)
  })
})

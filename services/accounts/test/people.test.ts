import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { eq, notInArray } from 'drizzle-orm'
import { userRoles, users } from '../src/store/schema.ts'
import { codeOf, makeUser, useEnv } from './_env.ts'

const env = useEnv()

beforeAll(() => env.start())

afterEach(() => {
  env.fakes.unavailable.clear()
})

const markDeleted = (userId: string) => env.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, userId))

describe('the viewer', () => {
  test('gets their own profile and permissions', async () => {
    const userId = await makeUser(env, 'Anna', { email: 'anna@example.org' })
    const viewer = await env.viewerOf(userId).getViewer({})
    expect(viewer.user).toMatchObject({
      profile: { id: userId, login: 'Anna', displayName: 'Anna', deleted: false },
      hasVerifiedEmail: true,
      hasPassword: true,
      viewerCanDeleteAccount: true,
    })
    expect(viewer.user?.lastLoginChange).toBeUndefined()
    expect(viewer.mentionableRoles.map(({ name, displayName }) => [name, displayName])).toEqual([
      ['moderator', 'Moderator'],
    ])
    expect(viewer.viewerPermissions?.permissions).toHaveLength(20)
    expect(
      viewer.viewerPermissions?.permissions.filter(({ granted }) => granted).map(({ permission }) => permission),
    ).toEqual([
      'room.join',
      'room.list',
      'message.post',
      'message.post-in-thread',
      'message.attach',
      'message.react',
      'message.echo',
      'user.delete-self',
    ])
    expect(viewer.capabilities?.grants.filter(({ granted }) => granted).map(({ capability }) => capability)).toEqual([
      'dm.start',
    ])
    expect(viewer).toMatchObject({
      viewerState: { hasUnreadRooms: true },
      capabilities: { hasUnreadFollowedThreads: true },
      roomNotificationPreferences: [{ roomId: 'R1' }],
    })
  })

  test('has every permission if they are an owner', async () => {
    const userId = await makeUser(env, 'boss', { roleNames: ['owner'] })
    const viewer = await env.viewerOf(userId, 'owner').getViewer({})
    // The only owner cannot be deleted.
    expect(viewer.user).toMatchObject({ hasVerifiedEmail: false, viewerCanDeleteAccount: false })
    expect(viewer.viewerPermissions?.permissions.every(({ granted }) => granted)).toBe(true)
    expect(viewer.capabilities?.grants.every(({ granted }) => granted)).toBe(true)
  })

  test('who is an owner can be deleted only while another owner can sign in', async () => {
    const userId = await makeUser(env, 'parting', { roleNames: ['owner'] })
    const other = await makeUser(env, 'staying', { roleNames: ['owner'] })
    await env.db.delete(userRoles).where(notInArray(userRoles.userId, [userId, other]))
    const canDelete = async () => (await env.viewerOf(userId, 'owner').getViewer({})).user?.viewerCanDeleteAccount
    const change = (columns: Partial<typeof users.$inferInsert>) =>
      env.db.update(users).set(columns).where(eq(users.id, other))
    expect(await canDelete()).toBe(true)
    await change({ deactivatedAt: new Date() })
    expect(await canDelete()).toBe(false)
    await change({ deactivatedAt: null })
    expect(await canDelete()).toBe(true)
    await change({ deletedAt: new Date() })
    expect(await canDelete()).toBe(false)
  })

  test('gets a response even if other services are unavailable', async () => {
    const userId = await makeUser(env, 'carl')
    env.fakes.unavailable.add('messaging').add('notifications')
    const viewer = await env.viewerOf(userId).getViewer({})
    expect(viewer).toMatchObject({
      user: { profile: { login: 'carl' } },
      viewerState: { hasUnreadRooms: false },
      roomNotificationPreferences: [],
    })
  })

  test('must have an account', async () => {
    const userId = await makeUser(env, 'dirk')
    await markDeleted(userId)
    expect(await codeOf(env.viewerOf(userId).getViewer({}))).toBe(Code.Unauthenticated)
    expect(await codeOf(env.viewerOf('Unobody').getViewer({}))).toBe(Code.Unauthenticated)
  })
})

describe('profiles', () => {
  test('are returned once each in the requested order', async () => {
    const [ada, bob] = [await makeUser(env, 'ada', { roleNames: ['moderator'] }), await makeUser(env, 'bob')]
    const gone = await makeUser(env, 'gone')
    await markDeleted(gone)
    const { profiles } = await env.internal.getProfiles({ userIds: [bob, 'Unobody', gone, ada, bob, 'U\0'] })
    expect(profiles.map(({ user }) => user?.id)).toEqual([bob, gone, ada])
    expect(profiles[0]).toMatchObject({ user: { login: 'bob', displayName: 'bob', deleted: false }, roleIds: [] })
    expect(profiles[1]?.user).toMatchObject({ login: '', displayName: 'Deleted User', deleted: true })
    expect(profiles[2]).toMatchObject({ roleIds: ['moderator'] })
    expect(profiles[2]?.createdAt).toBeDefined()
    expect((await env.internal.getProfiles({})).profiles).toEqual([])
  })

  test('are returned for at most 500 ids', async () => {
    const userIds = Array.from({ length: 501 }, (_, n) => `U${n}`)
    expect(await codeOf(env.internal.getProfiles({ userIds }))).toBe(Code.InvalidArgument)
  })
})

test('GetPeople returns accounts by id, deleted ones without names', async () => {
  const [herb, gone] = [await makeUser(env, 'herb', { roleNames: ['moderator'] }), await makeUser(env, 'left')]
  await markDeleted(gone)
  const { people } = await env.internal.getPeople({ userIds: [herb, gone, 'Unobody'] })
  expect(new Map(people.map((person) => [person.userId, person]))).toMatchObject(
    new Map([
      [
        herb,
        { login: 'herb', displayName: 'herb', roleIds: ['moderator'], deleted: false, version: expect.any(BigInt) },
      ],
      [gone, { login: '', displayName: '', deleted: true }],
    ]),
  )
  const userIds = Array.from({ length: 501 }, (_, n) => `U${n}`)
  expect(await codeOf(env.internal.getPeople({ userIds }))).toBe(Code.InvalidArgument)
})

test('ListPeople returns every account in pages, tombstones included', async () => {
  const made = await Promise.all(['l1', 'l2', 'l3'].map((login) => makeUser(env, login, { roleNames: ['moderator'] })))
  await markDeleted(made[0] ?? '')
  const listed: { userId: string; deleted: boolean; roleIds: string[]; version: bigint }[] = []
  for (let after = ''; ;) {
    const { people } = await env.internal.listPeople({ after, limit: 2 })
    listed.push(...people)
    if (people.length < 2) break
    after = people[1]?.userId ?? ''
  }
  expect(listed.map(({ userId }) => userId)).toEqual(listed.map(({ userId }) => userId).sort())
  expect(new Set(listed.map(({ userId }) => userId)).size).toBe(listed.length)
  for (const id of made)
    expect(listed.find(({ userId }) => userId === id)).toMatchObject({
      deleted: id === made[0],
      roleIds: ['moderator'],
      version: expect.any(BigInt),
    })
  expect((await env.internal.listPeople({})).people).toHaveLength(listed.length)
})

test('CountUsers does not count deleted accounts', async () => {
  const { count } = await env.internal.countUsers({})
  const [, gone = ''] = [await makeUser(env, 'counted'), await makeUser(env, 'uncounted')]
  await markDeleted(gone)
  expect((await env.internal.countUsers({})).count).toBe(count + 1)
})

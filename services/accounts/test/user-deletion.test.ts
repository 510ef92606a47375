import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { ownerRoleId } from '@parley/permissions'
import { AdminUserService } from '@parley/contracts/admin'
import { UserService } from '@parley/contracts/api'
import type { Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { eq, sql } from 'drizzle-orm'
import { userRoles, users } from '../src/store/schema.ts'
import { callerOf, codeOf, makeUser, useEnv, password, signIn } from './_env.ts'
import { deliveriesOf, recordUserEvents, type UserEvents } from './_user-events.ts'
import { endSessionsOf, whileLocked } from './_while-locked.ts'

const hour = 3600_000

const env = useEnv()
let service: Service
let events: UserEvents
let now: Date
let owner: string
let admin: string

beforeAll(async () => {
  now = new Date()
  service = await env.start({}, { now: () => now })
  events = env.use(await recordUserEvents(env))
  owner = await makeUser(env, 'owner1', { roleNames: ['owner'] })
  admin = await makeUser(env, 'admin1', { roleNames: ['admin'] })
})

const clientOf = async (login: string) => env.as(AdminUserService, await callerOf(env, login))
const isDeleted = async (userId: string) => {
  const { users } = await env.as(UserService, { userId: owner }).batchGetUsers({ userIds: [userId] })
  return users.length === 0
}

test('users with user.delete-any can delete others, and everyone is notified', async () => {
  const userId = await makeUser(env, 'anna')
  expect(await (await clientOf('admin1')).deleteUser({ userId })).toMatchObject({ deleted: true })
  expect(await isDeleted(userId)).toBe(true)
  expect(await codeOf(signIn(env, 'anna'))).toBe(Code.Unauthenticated)
  await events.waitFor(userId, 'account_deleted')
  const published = events.of(userId).filter(({ kind }) => kind === 'account_deleted')
  expect(published.map(({ actorId }) => actorId)).toEqual([admin])
  expect(published.flatMap((event) => deliveriesOf(event))).toMatchObject([
    { to: 'everyone', envelope: { event: { case: 'serverMemberDeleted', value: { userId } } } },
  ])
  expect(await codeOf((await clientOf('admin1')).deleteUser({ userId }))).toBe(Code.NotFound)
})

test('the metric of ended credentials counts deletions of accounts', async () => {
  const userId = await makeUser(env, 'counted')
  await (await clientOf('admin1')).deleteUser({ userId })
  const metrics = await (await fetch(`http://127.0.0.1:${service.internalPort}/metrics`)).text()
  expect(metrics).toMatch(/^parley_accounts_credentials_ended_total\{[^}]*parley_reason="account_deleted"/m)
})

test('deleting an account needs the permission and an existing account', async () => {
  const userId = await makeUser(env, 'bert')
  await makeUser(env, 'mod1', { roleNames: ['moderator'] })
  const moderator = await clientOf('mod1')
  expect(await codeOf(moderator.deleteUser({ userId }))).toBe(Code.PermissionDenied)
  expect(await codeOf(moderator.deleteUser({ userId: 'Unobody' }))).toBe(Code.PermissionDenied)
  expect(await codeOf((await clientOf('admin1')).deleteUser({ userId: 'Unobody' }))).toBe(Code.NotFound)
  expect(await isDeleted(userId)).toBe(false)
})

test('deleting an account needs a fresh credential or the caller’s password', async () => {
  const userId = await makeUser(env, 'carl')
  const client = await clientOf('admin1')
  now = new Date(now.getTime() + hour)
  expect(await codeOf(client.deleteUser({ userId }))).toBe(Code.FailedPrecondition)
  expect(await codeOf(client.deleteUser({ userId, currentPassword: 'not the password' }))).toBe(Code.InvalidArgument)
  expect(await isDeleted(userId)).toBe(false)
  expect(await codeOf(client.deleteUser({ userId, currentPassword: password }))).toBeUndefined()
  expect(await isDeleted(userId)).toBe(true)
})

test('users with user.delete-self can delete their own account', async () => {
  const userId = await makeUser(env, 'dora')
  expect(await codeOf((await clientOf('dora')).deleteUser({ userId }))).toBeUndefined()
  expect(await isDeleted(userId)).toBe(true)
})

test('a user who becomes an owner while the call that deletes them waits can be deleted only by owners', async () => {
  const userId = await makeUser(env, 'emil')
  const client = await clientOf('admin1')
  let deletion: Promise<Code | undefined> | undefined
  await env.db.transaction(async (tx) => {
    await tx.select().from(users).where(eq(users.id, userId)).for('update')
    deletion = codeOf(client.deleteUser({ userId }))
    await eventually(async () => {
      const { rows } = await env.db.execute(sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%from "users"%for update%'`)
      expect(rows).toHaveLength(1)
    })
    await tx.insert(userRoles).values({ userId, roleId: ownerRoleId })
  })
  expect(await deletion).toBe(Code.PermissionDenied)
  expect(await isDeleted(userId)).toBe(false)
  await env.db.delete(userRoles).where(eq(userRoles.userId, userId))
})

test('only owners delete owners, and nobody deletes the last one', async () => {
  const userId = await makeUser(env, 'owner2', { roleNames: ['owner'] })
  expect(await codeOf((await clientOf('admin1')).deleteUser({ userId }))).toBe(Code.PermissionDenied)
  const [first, second] = [await clientOf('owner1'), await clientOf('owner2')]
  expect(await codeOf(first.deleteUser({ userId }))).toBeUndefined()
  expect(await codeOf(second.deleteUser({ userId: owner }))).not.toBeUndefined()
  expect(await codeOf(first.deleteUser({ userId: owner }))).toBe(Code.FailedPrecondition)
  expect(await isDeleted(owner)).toBe(false)
})

test('a call deletes nobody if its session ends while it waits', async () => {
  const userId = await makeUser(env, 'waited')
  const client = await clientOf('admin1')
  const codes = await whileLocked(env, 'users', userId, {
    calls: () => [client.deleteUser({ userId })],
    meanwhile: () => endSessionsOf(env, admin),
  })
  expect(codes).toEqual([Code.Unauthenticated])
  expect(await isDeleted(userId)).toBe(false)
})

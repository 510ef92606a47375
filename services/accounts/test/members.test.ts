import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { MyAccountService } from '@parley/contracts/api'
import { eq } from 'drizzle-orm'
import { users } from '../src/store/schema.ts'
import { codeOf, makeUser, useEnv } from './_env.ts'

const env = useEnv()
let owner: string
let admin: string
let anna: string
let bert: string
let gone: string

beforeAll(async () => {
  await env.start()
  owner = await makeUser(env, 'owner1', { roleNames: ['owner'] })
  admin = await makeUser(env, 'admin1', { roleNames: ['admin'] })
  anna = await makeUser(env, 'anna', { email: 'Anna@example.org' })
  await env.operator.verifyEmail({ login: 'anna', email: 'anna@example.com' })
  bert = await makeUser(env, 'bert', { roleNames: ['moderator'] })
  await env.as(MyAccountService, { userId: anna }).updateProfile({ login: 'annabel' })
  gone = await makeUser(env, 'gone')
  await env.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, gone))
})

const as = (userId: string, ...roleIds: string[]) => env.as(AdminUserService, { userId, roleIds })
const byId = (value: string) => ({ target: { case: 'userId', value } as const })

describe('reading accounts', () => {
  test('needs admin.view-users', async () => {
    for (const client of [as(bert, 'moderator'), as(anna)]) {
      expect(await codeOf(client.listMembers({}))).toBe(Code.PermissionDenied)
      expect(await codeOf(client.getMember(byId(anna)))).toBe(Code.PermissionDenied)
      expect(await codeOf(client.batchGetMembers({ userIds: [anna] }))).toBe(Code.PermissionDenied)
    }
  })

  test('returns them in the order of creation, together with all roles', async () => {
    const { members, roles, page } = await as(admin, 'admin').listMembers({})
    expect(members.map(({ user }) => user?.login)).toEqual(['owner1', 'admin1', 'annabel', 'bert'])
    expect(roles.map(({ name }) => name)).toEqual(['everyone', 'moderator', 'admin', 'owner'])
    expect(page).toMatchObject({ totalCount: 4n, hasMore: false })
    expect(members[3]).toMatchObject({ roles: ['moderator'], hasVerifiedEmail: false, verifiedEmails: [] })
    const found = await as(admin, 'admin').listMembers({ search: 'ANNAB', page: { limit: 1 } })
    expect(found.members.map(({ user }) => user?.id)).toEqual([anna])
    const next = await as(admin, 'admin').listMembers({ page: { limit: 3 } })
    const rest = await as(admin, 'admin').listMembers({ page: { cursor: next.page?.nextCursor ?? '' } })
    expect([next.members.length, rest.members.map(({ user }) => user?.id)]).toEqual([3, [bert]])
    expect(await codeOf(as(admin, 'admin').listMembers({ search: 'x'.repeat(101) }))).toBe(Code.InvalidArgument)
  })

  test('includes addresses and the last change of the login', async () => {
    const { member } = await as(admin, 'admin').getMember(byId(anna))
    expect(member).toMatchObject({
      user: { id: anna, login: 'annabel' },
      hasVerifiedEmail: true,
      verifiedEmails: ['Anna@example.org', 'anna@example.com'],
    })
    expect(member?.lastLoginChange).toBeDefined()
    expect(member?.createdAt).toBeDefined()
  })

  test('includes all roles with permissions, and the caller’s rights', async () => {
    const answer = await as(admin, 'admin').getMember({ target: { case: 'login', value: 'ANNABEL' } })
    expect(answer.availablePermissions).toHaveLength(20)
    expect(answer.availablePermissions[0]).toBe('server.manage')
    const [everyone, moderator, , ownerRole] = answer.roles
    expect(everyone?.role).toMatchObject({ name: 'everyone', isSystem: true })
    expect(moderator?.permissions).toEqual(['room.ban-member', 'message.manage'])
    expect(ownerRole?.permissions).toHaveLength(20)
    expect(answer).toMatchObject({
      viewerCanAssignRoles: true,
      viewerCanManageRoles: true,
      viewerCanManageUserPermissions: true,
    })
  })

  test('fails with not_found for unknown and deleted accounts', async () => {
    for (const userId of ['Unobody', gone])
      expect(await codeOf(as(admin, 'admin').getMember(byId(userId)))).toBe(Code.NotFound)
    expect(await codeOf(as(admin, 'admin').getMember({ target: { case: 'login', value: 'nobody' } }))).toBe(
      Code.NotFound,
    )
    expect(await codeOf(as(admin, 'admin').getMember({}))).toBe(Code.InvalidArgument)
  })

  test('in a batch returns each known one in the requested order', async () => {
    const userIds = [bert, anna, 'Unobody', bert, gone]
    const { members, roles } = await as(admin, 'admin').batchGetMembers({ userIds })
    expect(members.map(({ user }) => user?.id)).toEqual([bert, anna])
    expect(roles).toHaveLength(4)
  })

  test('says which of them the caller may delete', async () => {
    const deletable = async (client: ReturnType<typeof as>) => {
      const { members } = await client.listMembers({})
      return members.filter(({ viewerCanDeleteAccount }) => viewerCanDeleteAccount).map(({ user }) => user?.id)
    }
    // The only owner cannot be deleted.
    expect(await deletable(as(admin, 'admin'))).toEqual([admin, anna, bert])
    expect(await deletable(as(owner, 'owner'))).toEqual([admin, anna, bert])
    const second = await makeUser(env, 'owner2', { roleNames: ['owner'] })
    expect(await deletable(as(admin, 'admin'))).toEqual([admin, anna, bert])
    expect(await deletable(as(owner, 'owner'))).toEqual([owner, admin, anna, bert, second])
    // A deactivated owner cannot sign in, so the other one is the last who can.
    await as(owner, 'owner').deactivateUser({ userId: second })
    expect(await deletable(as(owner, 'owner'))).toEqual([admin, anna, bert, second])
  })
})

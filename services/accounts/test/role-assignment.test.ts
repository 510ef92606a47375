import { create, fromBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { PermissionDecision, PermissionScopeKind, AdminUserService } from '@parley/contracts/admin'
import { EventBatchSchema, PolicyDecisionSchema, PolicyRoleSchema, type Event } from '@parley/contracts/internal'
import { eventually } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { userRoles } from '../src/store/schema.ts'
import { codeOf, lastOnStream, makeUser, useEnv, disableStreamAcks } from './_env.ts'
import { recordUserEvents, type UserEvents } from './_user-events.ts'

const env = useEnv()
let events: UserEvents
let owner: string
let admin: string

beforeAll(async () => {
  const { roles, decisions } = env.fakes.policy
  roles.push(create(PolicyRoleSchema, { id: 'Ocrew', name: 'crew', displayName: 'Crew', position: 1 }))
  const scope = { kind: PermissionScopeKind.SERVER }
  const allowed = { roleId: 'Ocrew', permission: 'role.assign', scope, decision: PermissionDecision.ALLOW }
  decisions.push(create(PolicyDecisionSchema, allowed))
  await env.start()
  await env.start()
  events = env.use(await recordUserEvents(env))
  owner = await makeUser(env, 'owner1', { roleNames: ['owner'] })
  admin = await makeUser(env, 'admin1', { roleNames: ['admin'] })
})

const as = (userId: string, ...roleIds: string[]) => env.as(AdminUserService, { userId, roleIds })
const rolesOf = async (userId: string) =>
  (await env.db.select().from(userRoles).where(eq(userRoles.userId, userId))).map(({ roleId }) => roleId).sort()

describe('assigning and revoking a role', () => {
  test('is on the stream before the response, and audited with its actor', async () => {
    const userId = await makeUser(env, 'anna')
    const { member } = await as(admin, 'admin').assignRole({ userId, roleName: 'moderator' })
    expect(member).toMatchObject({ user: { id: userId }, roles: ['moderator'] })
    const assigned = await lastOnStream(env.bus, `evt.control.user.${userId}.roles_changed`)
    expect(fromBinary(EventBatchSchema, assigned).events.at(-1)).toMatchObject({
      actorId: admin,
      fact: { value: { roleIds: ['moderator'] } },
    })
    expect((await as(admin, 'admin').revokeRole({ userId, roleName: 'moderator' })).member?.roles).toEqual([])
    const revoked = await lastOnStream(env.bus, `evt.control.user.${userId}.roles_changed`)
    expect(fromBinary(EventBatchSchema, revoked).events.at(-1)).toMatchObject({ fact: { value: { roleIds: [] } } })
    expect(await rolesOf(userId)).toEqual([])
    await events.waitFor(userId, 'rbac_role_revoked')
    // A repeated call announces the roles again, without a delivery.
    const isChange = ({ kind, deliveries }: Event) => kind !== 'roles_changed' || deliveries.length > 0
    expect(
      events
        .of(userId)
        .filter(isChange)
        .map(({ kind }) => kind),
    ).toEqual(['user_created', ...['roles_changed', 'rbac_role_assigned', 'roles_changed', 'rbac_role_revoked']])
    const auditEvents = events.of(userId).filter(({ kind }) => kind.startsWith('rbac'))
    for (const { actorId, fact } of auditEvents)
      expect([actorId, fact.value]).toMatchObject([
        admin,
        { details: { role_id: 'moderator', role_name: 'moderator' } },
      ])
  })

  test('is announced to the processes of the server, but not to the user, if it changes nothing', async () => {
    const userId = await makeUser(env, 'bert')
    const roleName = 'moderator'
    await as(admin, 'admin').assignRole({ userId, roleName })
    expect((await as(admin, 'admin').assignRole({ userId, roleName })).member?.roles).toEqual([roleName])
    await as(admin, 'admin').revokeRole({ userId, roleName })
    expect((await as(admin, 'admin').revokeRole({ userId, roleName })).member?.roles).toEqual([])
    const rolesIn = (isChange: boolean) =>
      events.of(userId).flatMap(({ fact, deliveries }) => {
        const isWanted = fact.case === 'userRolesChanged' && deliveries.length > 0 === isChange
        return isWanted ? [fact.value.roleIds] : []
      })
    await eventually(() => expect(rolesIn(false)).toEqual(expect.arrayContaining([[roleName], []])))
    expect(rolesIn(true)).toEqual([[roleName], []])
    expect(events.of(userId).filter(({ kind }) => kind.startsWith('rbac'))).toHaveLength(2)
  })

  test('is possible before the role’s delta arrives', async () => {
    const made = create(PolicyRoleSchema, { id: 'Onew', name: 'new', displayName: 'New', position: 2 })
    const userId = await makeUser(env, 'nele')
    expect(await codeOf(as(admin, 'admin').assignRole({ userId, roleName: 'new' }))).toBe(Code.NotFound)
    env.fakes.policy.roles.push(made)
    env.fakes.policy.revision++
    expect((await as(admin, 'admin').assignRole({ userId, roleName: 'new' })).member?.roles).toEqual(['new'])
  })

  test('fails with `unavailable` until the event is on the stream', async () => {
    const userId = await makeUser(env, 'carl', { roleNames: ['moderator'] })
    const revoke = () => codeOf(as(admin, 'admin').revokeRole({ userId, roleName: 'moderator' }))
    await using noAcks = await disableStreamAcks(env.bus)
    expect(await revoke()).toBe(Code.Unavailable)
    await noAcks[Symbol.asyncDispose]()
    await eventually(async () => expect(await revoke()).toBeUndefined())
  })

  test('needs role.assign, an existing role and an existing user', async () => {
    const userId = await makeUser(env, 'dora', { roleNames: ['moderator'] })
    const roleName = 'moderator'
    for (const call of ['assignRole', 'revokeRole'] as const) {
      expect(await codeOf(as(userId, 'moderator')[call]({ userId, roleName }))).toBe(Code.PermissionDenied)
      expect(await codeOf(as(admin, 'admin')[call]({ userId, roleName: 'janitor' }))).toBe(Code.NotFound)
      expect(await codeOf(as(admin, 'admin')[call]({ userId: 'Unobody', roleName }))).toBe(Code.NotFound)
      expect(await codeOf(as(admin, 'admin')[call]({ userId, roleName: 'everyone' }))).toBe(Code.InvalidArgument)
    }
    expect(await rolesOf(userId)).toEqual(['moderator'])
  })

  test('takes the name of a custom role and stores its id', async () => {
    const userId = await makeUser(env, 'emil')
    expect((await as(owner, 'owner').assignRole({ userId, roleName: 'crew' })).member?.roles).toEqual(['crew'])
    expect(await rolesOf(userId)).toEqual(['Ocrew'])
  })
})

describe('the role owner', () => {
  test('can be assigned and revoked only by owners', async () => {
    const crew = await makeUser(env, 'crew1', { roleNames: ['crew'] })
    const second = await makeUser(env, 'owner2', { roleNames: ['owner'] })
    for (const client of [as(admin, 'admin'), as(crew, 'Ocrew')]) {
      expect(await codeOf(client.assignRole({ userId: crew, roleName: 'owner' }))).toBe(Code.PermissionDenied)
      expect(await codeOf(client.revokeRole({ userId: second, roleName: 'owner' }))).toBe(Code.PermissionDenied)
    }
    expect(await rolesOf(second)).toEqual(['owner'])
    expect((await as(owner, 'owner').assignRole({ userId: crew, roleName: 'owner' })).member?.roles).toContain('owner')
    for (const userId of [crew, second]) await as(owner, 'owner').revokeRole({ userId, roleName: 'owner' })
    expect(await rolesOf(second)).toEqual([])
  })

  test('cannot be revoked by its own holder; the role admin cannot be revoked by its own holder either', async () => {
    const second = await makeUser(env, 'owner3', { roleNames: ['owner', 'moderator'] })
    const revoke = (client: ReturnType<typeof as>, userId: string, roleName: string) =>
      codeOf(client.revokeRole({ userId, roleName }))
    expect(await revoke(as(second, 'owner'), second, 'owner')).toBe(Code.FailedPrecondition)
    expect(await revoke(as(admin, 'admin'), admin, 'admin')).toBe(Code.FailedPrecondition)
    expect(await revoke(as(second, 'owner', 'moderator'), second, 'moderator')).toBeUndefined()
    expect(await revoke(as(second, 'owner'), second, 'admin')).toBeUndefined()
    expect(await rolesOf(second)).toEqual(['owner'])
    await as(owner, 'owner').revokeRole({ userId: second, roleName: 'owner' })
  })

  test('is kept by one of two owners if each revokes the role of the other', async () => {
    for (let round = 0; round < 5; round++) {
      const second = await makeUser(env, `rival${round}`, { roleNames: ['owner'] })
      const codes = await Promise.all([
        codeOf(as(owner, 'owner').revokeRole({ userId: second, roleName: 'owner' })),
        codeOf(as(second, 'owner').revokeRole({ userId: owner, roleName: 'owner' })),
      ])
      expect(codes.sort()).toEqual([Code.FailedPrecondition, undefined])
      const [left] = (await env.db.select().from(userRoles).where(eq(userRoles.roleId, 'owner'))).map((r) => r.userId)
      if (left === second) {
        await as(second, 'owner').assignRole({ userId: owner, roleName: 'owner' })
        await as(owner, 'owner').revokeRole({ userId: second, roleName: 'owner' })
      }
    }
    expect(await rolesOf(owner)).toEqual(['owner'])
  })
})

import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { RoomKind } from '@parley/contracts/api'
import { permissions } from '@parley/permissions'
import { eventually, recordEvents, type Recording } from '@parley/testkit'
import { useAdmin, type TestAdmin } from './_admin.ts'
import { startFakeServices, type FakeServices } from './_fake-services.ts'

const { ALLOW, DENY, NONE } = PermissionDecision
const { UNSPECIFIED, SERVER, GROUP, ROOM } = PermissionScopeKind

const admin = useAdmin()
let recording: Recording
let fakes: FakeServices

beforeAll(async () => {
  recording = admin.use(await recordEvents(admin.bus, 'evt.rbac.>'))
  fakes = admin.use(await startFakeServices(admin))
  await Promise.all([admin.start(), admin.start()])
  fakes.people = [{ id: 'Umia' }, { id: 'Ugone', deleted: true }]
  fakes.groups = [{ groupId: 'G1', name: 'Lobby' }]
  fakes.rooms = [
    { roomId: 'R1', name: 'tea', groupId: 'G1' },
    { roomId: 'R2', name: 'coffee', groupId: 'G1' },
    { roomId: 'Rdm', name: '', groupId: '', kind: RoomKind.DM, members: ['Uowner', 'Ubert', 'Umia'] },
    { roomId: 'Rforeign', name: '', groupId: '', kind: RoomKind.DM, members: ['Ubert'] },
  ]
})
beforeEach(() => fakes.unavailable.clear())
afterEach(async () => {
  // Clears the decisions for Umia and, except at server scope, those for two roles.
  for (const roleName of ['everyone', 'moderator']) {
    const { decisions } = await admin.owner.adminPermissions.listRolePermissionDecisions({ roleName })
    for (const { permission, scope } of decisions)
      if (scope?.kind !== SERVER) await setRole({ roleName, permission, decision: NONE, scope })
  }
  const { decisions } = await admin.owner.adminPermissions.listUserPermissionDecisions({ userId: 'Umia' })
  for (const { permission, scope } of decisions)
    await admin.owner.adminPermissions.setUserPermission({ userId: 'Umia', permission, decision: NONE, scope })
})

type Scope = { kind?: PermissionScopeKind; id?: string }
type Request = { roleName?: string; permission: string; decision: PermissionDecision; scope?: Scope | undefined }

const fails = (code: Code) => ({ code })
const setRole = (
  { roleName = 'moderator', scope, ...rest }: Request,
  by: Pick<TestAdmin['bert'], 'adminPermissions'> = admin.bert,
) => by.adminPermissions.setRolePermission({ roleName, ...rest, ...(scope && { scope }) })
const setUser = (
  { scope, permission, decision }: Request,
  by: Pick<TestAdmin['bert'], 'adminPermissions'> = admin.bert,
) => by.adminPermissions.setUserPermission({ userId: 'Umia', permission, decision, ...(scope && { scope }) })
const listForModerator = async () =>
  (await admin.bert.adminPermissions.listRolePermissionDecisions({ roleName: 'moderator' })).decisions.map(
    ({ permission, scope, override, effective }) => [permission, scope?.kind, scope?.id, override, effective],
  )
const seeded = [
  ['room.ban-member', SERVER, '', ALLOW, ALLOW],
  ['message.manage', SERVER, '', ALLOW, ALLOW],
]
const tea: Scope = { kind: ROOM, id: 'R1' }
/** Selects events by their details, because audit events of other tests may arrive late. */
const auditEventsWith = (details: Record<string, string>) =>
  recording.events.filter(
    ({ fact }) =>
      fact.case === 'details' && Object.entries(details).every(([name, value]) => fact.value.details[name] === value),
  )

describe('a decision for a role', () => {
  test('is stored, changed and cleared, at every kind of scope', async () => {
    for (const scope of [{ kind: SERVER, id: '' }, { kind: GROUP, id: 'G1' }, tea]) {
      const request = { roleName: 'moderator', permission: 'room.join', scope }
      for (const decision of [ALLOW, DENY]) {
        expect((await setRole({ ...request, decision })).decision).toMatchObject({
          permission: 'room.join',
          scope,
          decision,
        })
        expect(await listForModerator()).toEqual([['room.join', scope.kind, scope.id, decision, decision], ...seeded])
      }
      expect((await setRole({ ...request, decision: NONE })).decision).toMatchObject({ scope, decision: NONE })
      expect(await listForModerator()).toEqual(seeded)
    }
  })

  test('applies at server scope if no scope is given', async () => {
    for (const scope of [undefined, {}, { kind: UNSPECIFIED }, { kind: SERVER }]) {
      const { decision } = await setRole({ permission: 'room.join', decision: ALLOW, scope })
      expect(decision?.scope).toMatchObject({ kind: SERVER, id: '' })
      expect(await listForModerator()).toContainEqual(['room.join', SERVER, '', ALLOW, ALLOW])
      await setRole({ permission: 'room.join', decision: NONE, scope })
    }
  })

  test('is published and audited, but a repetition is not', async () => {
    await using control = await recordEvents(admin.bus, 'evt.control.policy.>')
    const { revision } = await admin.anonymous.internal.getPolicy({})
    for (const decision of [ALLOW, ALLOW, DENY, NONE, NONE])
      await setRole({ permission: 'message.echo', decision, scope: tea })
    const after = await admin.anonymous.internal.getPolicy({})
    await eventually(() => expect(control.events).toHaveLength(3))
    const details = { role_name: 'moderator', permission: 'message.echo', scope: 'room:R1' }
    await eventually(() => expect(auditEventsWith(details)).toHaveLength(3))
    const published = control.events.map(({ fact }) => (fact.case === 'policy' ? fact.value : undefined))
    expect(published[0]?.baseRevision).toBe(revision)
    expect(published.map((delta) => delta?.baseRevision).slice(1)).toEqual(
      published.map((delta) => delta?.revision).slice(0, 2),
    )
    expect(published[2]?.revision).toBe(after.revision)
    expect(new Set(control.events.map(({ actorId }) => actorId))).toEqual(new Set(['Ubert']))
    expect(auditEventsWith(details).map(({ kind, actorId, aggregateId }) => [kind, actorId, aggregateId])).toEqual(
      ['granted', 'denied', 'cleared'].map((word) => [`rbac_permission_${word}`, 'Ubert', 'moderator']),
    )
  })

  test.each([
    ['for the role owner', { roleName: 'owner', permission: 'room.join', decision: DENY }, Code.InvalidArgument],
    ['for an unknown role', { roleName: 'nobody', permission: 'room.join', decision: DENY }, Code.NotFound],
    ['about an unknown permission', { permission: 'room.paint', decision: ALLOW }, Code.InvalidArgument],
    [
      'that is unspecified',
      { permission: 'room.join', decision: PermissionDecision.UNSPECIFIED },
      Code.InvalidArgument,
    ],
    [
      'for the server with an id',
      { permission: 'room.join', decision: ALLOW, scope: { id: 'G1' } },
      Code.InvalidArgument,
    ],
    [
      'for a group without an id',
      { permission: 'room.join', decision: ALLOW, scope: { kind: GROUP } },
      Code.InvalidArgument,
    ],
    [
      'for a room without an id',
      { permission: 'room.join', decision: ALLOW, scope: { kind: ROOM } },
      Code.InvalidArgument,
    ],
    [
      'for an unknown kind of scope',
      { permission: 'room.join', decision: ALLOW, scope: { kind: 9, id: 'X' } },
      Code.InvalidArgument,
    ],
    [
      'for an unknown group',
      { permission: 'room.join', decision: ALLOW, scope: { kind: GROUP, id: 'G9' } },
      Code.NotFound,
    ],
    [
      'for an unknown room',
      { permission: 'room.join', decision: ALLOW, scope: { kind: ROOM, id: 'R9' } },
      Code.NotFound,
    ],
    [
      'that is cleared for an unknown room',
      { permission: 'room.join', decision: NONE, scope: { kind: ROOM, id: 'R9' } },
      Code.NotFound,
    ],
  ] as [string, Request, Code][])('%s is refused', async (_, request, code) => {
    await expect(setRole(request)).rejects.toMatchObject(fails(code))
    expect(await listForModerator()).toEqual(seeded)
  })

  test('is accepted only at scopes of the permission', async () => {
    const scopes = { server: {}, group: { kind: GROUP, id: 'G1' }, room: tea }
    for (const { permission, scopes: kindsOfScope } of permissions) {
      for (const kind of ['server', 'group', 'room'] as const) {
        const attempt = setRole({ permission, decision: NONE, scope: scopes[kind] }, admin.owner)
        if (kindsOfScope.includes(kind) && kind !== 'server') await expect(attempt).resolves.toBeDefined()
        else if (kind !== 'server') await expect(attempt).rejects.toMatchObject(fails(Code.InvalidArgument))
        else await attempt
      }
    }
    for (const permission of ['room.ban-member', 'message.manage'])
      await setRole({ permission, decision: ALLOW }, admin.owner)
  })

  test('for a deleted group can be cleared', async () => {
    const [lobby] = fakes.groups
    const scope = { kind: GROUP, id: 'G1' }
    await setRole({ permission: 'room.create', decision: ALLOW, scope })
    fakes.groups = []
    await setRole({ permission: 'room.create', decision: NONE, scope })
    expect(await listForModerator()).toEqual(seeded)
    if (lobby) fakes.groups = [lobby]
  })

  test('at server scope does not need the service rooms', async () => {
    fakes.unavailable.add('rooms')
    await setRole({ permission: 'room.join', decision: NONE })
    const inRoom = setRole({ permission: 'room.join', decision: ALLOW, scope: tea })
    await expect(inRoom).rejects.toMatchObject(fails(Code.Unavailable))
  })

  test('cannot be stored for a direct message of other people', async () => {
    const request = { permission: 'message.attach', decision: DENY, scope: { kind: ROOM, id: 'Rforeign' } }
    await expect(setRole(request, admin.owner)).rejects.toMatchObject(fails(Code.NotFound))
    await expect(setUser(request, admin.owner)).rejects.toMatchObject(fails(Code.NotFound))
  })

  test('for a direct message requires role.manage', async () => {
    const scope = { kind: ROOM, id: 'Rdm' }
    await setUser({ permission: 'room.manage', decision: ALLOW }, admin.owner)
    const request = { permission: 'message.attach', decision: DENY, scope }
    await expect(setRole(request, admin.as('Umia'))).rejects.toMatchObject(fails(Code.PermissionDenied))
    await setRole(request)
    expect(await listForModerator()).toContainEqual(['message.attach', ROOM, 'Rdm', DENY, DENY])
  })
})

describe('storing a decision for a role', () => {
  test('is refused to a caller with neither role.manage nor room.manage, even for an unknown group or room', async () => {
    const scopes = [{}, { kind: GROUP, id: 'G1' }, { kind: GROUP, id: 'G9' }, tea, { kind: ROOM, id: 'R9' }]
    for (const scope of scopes) {
      const { adminPermissions } = admin.alice
      const denied = fails(Code.PermissionDenied)
      await expect(setRole({ permission: 'room.join', decision: ALLOW, scope }, admin.alice)).rejects.toMatchObject(
        denied,
      )
      await expect(adminPermissions.getRolePermissionTierMatrix({ scope })).rejects.toMatchObject(denied)
    }
  })

  test('is allowed in one room to holders of room.manage in that room', async () => {
    const mia = admin.as('Umia')
    await setUser({ permission: 'room.manage', decision: ALLOW, scope: tea })
    const request = { permission: 'message.post', decision: DENY }
    await setRole({ ...request, scope: tea }, mia)
    expect(await listForModerator()).toContainEqual(['message.post', ROOM, 'R1', DENY, DENY])
    expect((await mia.adminPermissions.getRolePermissionTierMatrix({ scope: tea })).matrix?.roles).toHaveLength(4)
    for (const scope of [{}, { kind: GROUP, id: 'G1' }, { kind: ROOM, id: 'R2' }, { kind: ROOM, id: 'R9' }]) {
      const denied = fails(Code.PermissionDenied)
      await expect(setRole({ ...request, scope }, mia)).rejects.toMatchObject(denied)
      await expect(mia.adminPermissions.getRolePermissionTierMatrix({ scope })).rejects.toMatchObject(denied)
    }
  })

  test('is allowed in the rooms of a group, but not for the group, to holders of room.manage in it', async () => {
    const mia = admin.as('Umia')
    await setUser({ permission: 'room.manage', decision: ALLOW, scope: { kind: GROUP, id: 'G1' } })
    await setRole({ permission: 'message.post', decision: DENY, scope: tea }, mia)
    const inGroup = setRole({ permission: 'message.post', decision: DENY, scope: { kind: GROUP, id: 'G1' } }, mia)
    await expect(inGroup).rejects.toMatchObject(fails(Code.PermissionDenied))
  })

  test('is refused by every process once role.manage is removed', async () => {
    const mia = admin.as('Umia')
    const request = { permission: 'message.post', decision: NONE }
    for (let n = 0; n < 10; n++) {
      await setUser({ permission: 'role.manage', decision: ALLOW })
      await Promise.all([setRole(request, mia), setRole(request, mia)])
      await setUser({ permission: 'role.manage', decision: NONE })
      const refused = () => expect(setRole(request, mia)).rejects.toMatchObject(fails(Code.PermissionDenied))
      await Promise.all([refused(), refused()])
    }
  })
})

test('reading the decisions for a role requires role.manage', async () => {
  const { adminPermissions } = admin.alice
  for (const call of [
    () => adminPermissions.getRolePermissionMatrix({ roleName: 'nobody' }),
    () => adminPermissions.listRolePermissionDecisions({ roleName: 'nobody' }),
  ])
    await expect(call()).rejects.toMatchObject(fails(Code.PermissionDenied))
})

describe('a decision for a user', () => {
  const listForMia = async () =>
    (await admin.bert.adminPermissions.listUserPermissionDecisions({ userId: 'Umia' })).decisions.map(
      ({ permission, scope, override, effective }) => [permission, scope?.kind, scope?.id, override, effective],
    )

  test('is stored, listed, changed, cleared and audited', async () => {
    await setUser({ permission: 'message.post', decision: DENY, scope: tea })
    await setUser({ permission: 'message.post', decision: ALLOW })
    expect(await listForMia()).toEqual([
      ['message.post', SERVER, '', ALLOW, ALLOW],
      ['message.post', ROOM, 'R1', DENY, DENY],
    ])
    await setUser({ permission: 'message.post', decision: NONE, scope: tea })
    await setUser({ permission: 'message.post', decision: NONE, scope: tea })
    expect(await listForMia()).toEqual([['message.post', SERVER, '', ALLOW, ALLOW]])
    const details = { user_id: 'Umia', permission: 'message.post' }
    await eventually(() => expect(auditEventsWith(details)).toHaveLength(3))
    expect(
      auditEventsWith({ ...details, scope: 'room:R1' }).map(({ kind, aggregateId }) => [kind, aggregateId]),
    ).toEqual(['denied', 'cleared'].map((word) => [`rbac_permission_${word}`, 'Umia']))
  })

  test.each([
    ['an unknown permission', { permission: 'room.paint', decision: ALLOW }, Code.InvalidArgument],
    [
      'a permission that cannot be decided for a room',
      { permission: 'role.manage', decision: ALLOW, scope: tea },
      Code.InvalidArgument,
    ],
    ['an unknown room', { permission: 'room.join', decision: ALLOW, scope: { kind: ROOM, id: 'R9' } }, Code.NotFound],
    ['an unknown group', { permission: 'room.join', decision: ALLOW, scope: { kind: GROUP, id: 'G9' } }, Code.NotFound],
    ['a room without an id', { permission: 'room.join', decision: ALLOW, scope: { kind: ROOM } }, Code.InvalidArgument],
  ] as [string, Request, Code][])('is refused for %s', async (_, request, code) => {
    await expect(setUser(request)).rejects.toMatchObject(fails(code))
    expect(await listForMia()).toEqual([])
  })

  test.each(['Unobody', 'Ugone'])('is refused for %s, as is reading decisions', async (userId) => {
    const { adminPermissions } = admin.bert
    for (const call of [
      () => adminPermissions.setUserPermission({ userId, permission: 'room.join', decision: ALLOW }),
      () => adminPermissions.listUserPermissionDecisions({ userId }),
      () => adminPermissions.getUserPermissionMatrix({ userId }),
    ])
      await expect(call()).rejects.toMatchObject(fails(Code.NotFound))
  })

  test('needs user.manage-permissions at server scope', async () => {
    await setUser({ permission: 'role.manage', decision: ALLOW })
    await setUser({ permission: 'room.manage', decision: ALLOW, scope: tea })
    const { adminPermissions } = admin.as('Umia')
    for (const call of [
      () => setUser({ permission: 'room.join', decision: ALLOW, scope: tea }, admin.as('Umia')),
      () => adminPermissions.listUserPermissionDecisions({ userId: 'Unobody' }),
      () => adminPermissions.getUserPermissionMatrix({ userId: 'Unobody' }),
    ])
      await expect(call()).rejects.toMatchObject(fails(Code.PermissionDenied))
  })
})

test('no denial by an administrator can lock out owners', async () => {
  fakes.people.push({ id: 'Uowner', roleIds: ['owner'] })
  const { adminPermissions } = admin.bert
  for (const { permission } of permissions) {
    await adminPermissions.setUserPermission({ userId: 'Uowner', permission, decision: DENY })
    if (permission !== 'role.manage' && permission !== 'user.manage-permissions')
      await adminPermissions.setRolePermission({ roleName: 'everyone', permission, decision: DENY })
  }
  await admin.owner.adminPermissions.setRolePermission({
    roleName: 'everyone',
    permission: 'role.manage',
    decision: DENY,
  })
  await expect(adminPermissions.listRolePermissionDecisions({ roleName: 'admin' })).rejects.toMatchObject(
    fails(Code.PermissionDenied),
  )
  const { explanations } = await ownerClients('Usecond').adminPermissions.explainPermissions({ userId: 'Uowner' })
  expect(explanations.every(({ state, decidedByRole }) => state === ALLOW && decidedByRole === 'owner')).toBe(true)
  const allowedByDefault = new Set([
    'user.delete-self',
    'room.list',
    'room.join',
    ...permissions
      .map(({ permission }) => permission)
      .filter((name) => /^message\.(post|attach|react|echo)/.test(name)),
  ])
  for (const { permission } of permissions) {
    const decision = allowedByDefault.has(permission) ? ALLOW : NONE
    await admin.owner.adminPermissions.setRolePermission({ roleName: 'everyone', permission, decision })
    await admin.owner.adminPermissions.setUserPermission({ userId: 'Uowner', permission, decision: NONE })
  }
  await expect(adminPermissions.listRolePermissionDecisions({ roleName: 'admin' })).resolves.toBeDefined()
})

const ownerClients = (userId: string) => admin.as(userId, 'owner')

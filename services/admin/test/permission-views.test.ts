import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { permissions } from '@parley/permissions'
import { PermissionDecision, PermissionDecisionLevel, PermissionScopeKind } from '@parley/contracts/admin'
import { RoomKind } from '@parley/contracts/api'
import { useAdmin, type TestAdmin } from './_admin.ts'
import { startFakeServices, type FakeServices } from './_fake-services.ts'

const { ALLOW, DENY, NONE } = PermissionDecision
const { SERVER, GROUP, ROOM } = PermissionScopeKind
const all = permissions.map(({ permission }) => permission)

const admin = useAdmin()
let fakes: FakeServices

const decide = (who: { roleName: string } | { userId: string }, permission: string, decision: number, scope = {}) =>
  'roleName' in who
    ? admin.owner.adminPermissions.setRolePermission({ ...who, permission, decision, scope })
    : admin.owner.adminPermissions.setUserPermission({ ...who, permission, decision, scope })

beforeAll(async () => {
  fakes = admin.use(await startFakeServices(admin))
  await admin.start()
  fakes.people = [
    { id: 'Umia', roleIds: ['moderator'] },
    { id: 'Uolga', roleIds: ['owner'] },
    { id: 'Ugone', deleted: true },
  ]
  fakes.groups = [
    { groupId: 'G2', name: 'Work' },
    { groupId: 'G1', name: 'Lobby' },
  ]
  fakes.rooms = [
    { roomId: 'R2', name: 'tea', groupId: 'G1' },
    { roomId: 'R1', name: 'coffee', groupId: 'G1' },
    { roomId: 'R3', name: 'plans', groupId: 'G2' },
    { roomId: 'R4', name: 'shelved', groupId: 'G1', archived: true },
    { roomId: 'R5', name: 'forgotten', groupId: 'G1', archived: true },
    { roomId: 'Rdm', name: '', groupId: '', kind: RoomKind.DM, members: ['Uowner', 'Ubert', 'Umia'] },
    { roomId: 'Rforeign', name: '', groupId: '', kind: RoomKind.DM, members: ['Uowner', 'Umia'] },
  ]
  const moderator = { roleName: 'moderator' }
  await decide(moderator, 'message.post', DENY, { kind: ROOM, id: 'R2' })
  await decide(moderator, 'message.post', ALLOW, { kind: GROUP, id: 'G1' })
  await decide(moderator, 'message.post', DENY)
  await decide(moderator, 'room.join', DENY, { kind: ROOM, id: 'R4' })
  await decide(moderator, 'room.join', ALLOW, { kind: ROOM, id: 'Rdm' })
  await decide({ userId: 'Umia' }, 'message.react', ALLOW, { kind: ROOM, id: 'R1' })
  for (const who of [moderator, { userId: 'Umia' }])
    await decide(who, 'message.post', DENY, { kind: ROOM, id: 'Rforeign' })
})

describe('the matrix of a role', () => {
  test('has columns for server, groups and rooms in sidebar order, and for archived rooms and DMs with decisions', async () => {
    const { matrix } = await admin.bert.adminPermissions.getRolePermissionMatrix({ roleName: 'moderator' })
    expect(matrix).toMatchObject({ roleName: 'moderator', applicablePermissions: all })
    expect(matrix?.scopes.map(({ id, label, kind, parentGroupId }) => [id, label, kind, parentGroupId])).toEqual([
      ['server', 'Server', SERVER, ''],
      ['group:G2', 'Work', GROUP, ''],
      ['room:R3', 'plans', ROOM, 'G2'],
      ['group:G1', 'Lobby', GROUP, ''],
      ['room:R2', 'tea', ROOM, 'G1'],
      ['room:R1', 'coffee', ROOM, 'G1'],
      ['room:R4', 'shelved', ROOM, 'G1'],
      ['room:Rdm', 'Direct message', ROOM, ''],
    ])
  })

  test('has cells with the stored and the effective decision', async () => {
    const { matrix } = await admin.bert.adminPermissions.getRolePermissionMatrix({ roleName: 'moderator' })
    const cells = matrix?.cells ?? []
    expect(cells).toHaveLength(20 + 2 * 11 + 5 * 10)
    const about = (permission: string) =>
      Object.fromEntries(
        cells
          .filter((cell) => cell.permission === permission)
          .map((cell) => [cell.scopeId, [cell.override, cell.effective]]),
      )
    expect(about('message.post')).toEqual({
      server: [DENY, DENY],
      'group:G2': [NONE, DENY],
      'room:R3': [NONE, DENY],
      'group:G1': [ALLOW, ALLOW],
      'room:R2': [DENY, DENY],
      'room:R1': [NONE, ALLOW],
      'room:R4': [NONE, ALLOW],
      'room:Rdm': [NONE, DENY],
    })
    expect(about('role.manage')).toEqual({ server: [NONE, NONE] })
    expect(Object.keys(about('room.create'))).toEqual(['server', 'group:G2', 'group:G1'])
  })

  test('shows every permission of owner as allowed', async () => {
    const { matrix } = await admin.bert.adminPermissions.getRolePermissionMatrix({ roleName: 'owner' })
    expect(matrix?.cells.every(({ override, effective }) => override === NONE && effective === ALLOW)).toBe(true)
  })

  test('requires an existing role', async () => {
    const { adminPermissions } = admin.bert
    const missing = { code: Code.NotFound }
    await expect(adminPermissions.getRolePermissionMatrix({ roleName: 'nobody' })).rejects.toMatchObject(missing)
    await expect(adminPermissions.listRolePermissionDecisions({ roleName: 'nobody' })).rejects.toMatchObject(missing)
  })
})

test('the matrix of a user shows only decisions for the user, not those for their roles', async () => {
  const { matrix } = await admin.bert.adminPermissions.getUserPermissionMatrix({ userId: 'Umia' })
  expect(matrix).toMatchObject({ userId: 'Umia', applicablePermissions: all })
  expect(matrix?.scopes).toHaveLength(6)
  const decided = matrix?.cells.filter(({ override, effective }) => override !== NONE || effective !== NONE)
  expect(decided).toMatchObject([
    { permission: 'message.react', scopeId: 'room:R1', override: ALLOW, effective: ALLOW },
  ])
})

test('a direct message is shown only to its participants', async () => {
  const seenBy = async ({ adminPermissions }: TestAdmin['bert']) => {
    const [role, user] = [{ roleName: 'moderator' }, { userId: 'Umia' }]
    const matrices = [adminPermissions.getRolePermissionMatrix(role), adminPermissions.getUserPermissionMatrix(user)]
    const lists = [
      adminPermissions.listRolePermissionDecisions(role),
      adminPermissions.listUserPermissionDecisions(user),
    ]
    return [
      ...(await Promise.all(matrices)).map(({ matrix }) => matrix?.scopes.map(({ id }) => id)),
      ...(await Promise.all(lists)).map(({ decisions }) => decisions.map(({ scope }) => `room:${scope?.id}`)),
    ].map((scopes) => scopes?.filter((scope) => /dm|foreign/.test(scope)))
  }
  expect(await seenBy(admin.bert)).toEqual([['room:Rdm'], [], ['room:Rdm'], []])
  const both = ['room:Rdm', 'room:Rforeign']
  expect((await seenBy(admin.owner)).map((scopes) => scopes?.toSorted())).toEqual([
    ...[both, ['room:Rforeign'], both, ['room:Rforeign']],
  ])
})

describe('the matrix of a scope', () => {
  const tier = async (scope = {}) => {
    const { matrix } = await admin.bert.adminPermissions.getRolePermissionTierMatrix({ scope })
    const roles = matrix?.roles.map(({ role, override, inheritedAllows, inheritedDenials }) => {
      return [role?.name, override?.permissions, override?.permissionDenials, inheritedAllows, inheritedDenials]
    })
    return { applicable: matrix?.applicablePermissions, roles: new Map(roles?.map(([name, ...rest]) => [name, rest])) }
  }
  const everyoneMay = all.filter((name) => /^(room\.(list|join)|message\.(?!manage)|user\.delete-self)/.test(name))

  test('contains the decisions for each role at the scope, with roles by position', async () => {
    const { applicable, roles } = await tier()
    expect(applicable).toEqual(all)
    expect([...roles.keys()]).toEqual(['everyone', 'moderator', 'admin', 'owner'])
    expect(roles.get('everyone')).toEqual([everyoneMay, [], [], []])
    expect(roles.get('moderator')).toEqual([['room.ban-member', 'message.manage'], ['message.post'], [], []])
    expect(roles.get('owner')).toEqual([[], [], all, []])
  })

  test('contains the decisions inherited from wider scopes', async () => {
    const inGroup = await tier({ kind: GROUP, id: 'G1' })
    expect(inGroup.applicable).toHaveLength(11)
    expect(inGroup.roles.get('moderator')).toEqual([
      ['message.post'],
      [],
      ['room.ban-member', 'message.manage'],
      ['message.post'],
    ])
    const inRoom = await tier({ kind: ROOM, id: 'R2' })
    expect(inRoom.applicable).toHaveLength(10)
    expect(inRoom.roles.get('moderator')).toEqual([
      [],
      ['message.post'],
      ['room.ban-member', 'message.post', 'message.manage'],
      [],
    ])
    expect(inRoom.roles.get('everyone')?.[2]).toEqual(everyoneMay.filter((name) => name !== 'user.delete-self'))
  })

  test('requires an existing scope', async () => {
    const { adminPermissions } = admin.bert
    for (const [scope, code] of [
      [{ kind: GROUP, id: 'G9' }, Code.NotFound],
      [{ kind: ROOM, id: 'R9' }, Code.NotFound],
      [{ kind: ROOM }, Code.InvalidArgument],
      [{ kind: SERVER, id: 'R1' }, Code.InvalidArgument],
    ] as const)
      await expect(adminPermissions.getRolePermissionTierMatrix({ scope })).rejects.toMatchObject({ code })
  })
})

describe('an explanation', () => {
  const explain = async (userId: string, roomId = '') =>
    (await admin.bert.adminPermissions.explainPermissions({ userId, roomId })).explanations
  const about = async (permission: string, userId: string, roomId = '') =>
    (await explain(userId, roomId)).find((explanation) => explanation.permission === permission)

  test('lists every permission in order, with the deciding entry first in its trace', async () => {
    const explanations = await explain('Umia', 'R1')
    expect(explanations.map(({ permission }) => permission)).toEqual(all)
    const entry = (level: PermissionDecisionLevel, roleName: string, decision: PermissionDecision, applied = false) => {
      return { level, roleName, decision, applied }
    }
    expect(await about('message.post', 'Umia', 'R1')).toMatchObject({
      state: DENY,
      decidedAt: PermissionDecisionLevel.SERVER,
      decidedByRole: 'moderator',
      trace: [
        entry(PermissionDecisionLevel.SERVER, 'moderator', DENY, true),
        entry(PermissionDecisionLevel.GROUP, 'moderator', ALLOW),
        entry(PermissionDecisionLevel.SERVER, 'everyone', ALLOW),
      ],
    })
    expect(await about('message.react', 'Umia', 'R1')).toMatchObject({
      state: ALLOW,
      decidedAt: PermissionDecisionLevel.ROOM,
      decidedByRole: '',
      trace: [
        entry(PermissionDecisionLevel.ROOM, '', ALLOW, true),
        entry(PermissionDecisionLevel.SERVER, 'everyone', ALLOW),
      ],
    })
  })

  test('at server scope ignores decisions for rooms', async () => {
    expect((await about('message.react', 'Umia'))?.trace).toMatchObject([{ roleName: 'everyone', applied: true }])
  })

  test('reports that there is no decision', async () => {
    expect(await about('server.manage', 'Umia')).toMatchObject({
      state: NONE,
      decidedAt: PermissionDecisionLevel.UNSPECIFIED,
      decidedByRole: '',
      trace: [],
    })
  })

  test('of an owner names the role owner', async () => {
    for (const explanation of await explain('Uolga', 'R1'))
      expect(explanation).toMatchObject({ state: ALLOW, decidedAt: 0, decidedByRole: 'owner' })
  })

  test.each([
    ['oneself', 'Ubert', '', Code.PermissionDenied],
    ['a user in an unknown room', 'Umia', 'R9', Code.PermissionDenied],
    ['a user in a direct message', 'Umia', 'Rdm', Code.PermissionDenied],
    ['an unknown user', 'Unobody', '', Code.NotFound],
    ['a deleted user', 'Ugone', '', Code.NotFound],
  ])('is not given about %s', async (_, userId, roomId, code) => {
    await expect(explain(userId, roomId)).rejects.toMatchObject({ code })
  })

  test('is given neither to owners about themselves nor without role.manage', async () => {
    const denied = { code: Code.PermissionDenied }
    const own = admin.owner.adminPermissions.explainPermissions({ userId: 'Uowner' })
    await expect(own).rejects.toMatchObject(denied)
    const curious = admin.alice.adminPermissions.explainPermissions({ userId: 'Umia' })
    await expect(curious).rejects.toMatchObject(denied)
  })
})

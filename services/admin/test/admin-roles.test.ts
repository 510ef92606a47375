import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, recordEvents, type Recording } from '@parley/testkit'
import { PermissionDecision } from '@parley/contracts/admin'
import { useAdmin } from './_admin.ts'
import { startFakeServices, type FakeServices } from './_fake-services.ts'

const admin = useAdmin()
let recording: Recording
let fakes: FakeServices

beforeAll(async () => {
  recording = admin.use(await recordEvents(admin.bus, 'evt.rbac.>'))
  fakes = admin.use(await startFakeServices(admin))
  // Two processes: a change by one is visible to the other at once.
  await Promise.all([admin.start(), admin.start()])
})
beforeEach(() => fakes.unavailable.clear())

const fails = (code: Code) => ({ code })
const createRole = async (
  name: string,
  more: { displayName?: string; description?: string; pingable?: boolean } = {},
) => (await admin.bert.adminRoles.createRole({ name, displayName: name.toUpperCase(), ...more })).role
const names = async () => (await admin.alice.adminRoles.listRoles({})).roles.map(({ role }) => role?.name)
const customRoles = async () =>
  (await admin.alice.adminRoles.listRoles({})).roles.flatMap(({ role }) => (role && !role.isSystem ? [role] : []))
const removeAll = async () => {
  for (const { name } of await customRoles()) await admin.bert.adminRoles.deleteRole({ name })
}
const auditEventsAbout = (aggregateId: string) =>
  recording.events
    .filter((event) => event.aggregateId === aggregateId)
    .map(({ kind, actorId, fact }) => [kind, actorId, fact.case === 'details' ? fact.value.details : undefined])

test('changing roles needs role.manage, reading them does not', async () => {
  const { adminRoles } = admin.alice
  for (const call of [
    () => adminRoles.createRole({ name: 'crew' }),
    () => adminRoles.createRole({ name: 'Not A Name' }),
    () => adminRoles.updateRole({ name: 'moderator', pingable: false }),
    () => adminRoles.updateRole({ name: 'nobody' }),
    () => adminRoles.deleteRole({ name: 'nobody' }),
    () => adminRoles.reorderRoles({ roleNames: ['nobody'] }),
  ])
    await expect(call()).rejects.toMatchObject(fails(Code.PermissionDenied))
  await expect(admin.anonymous.adminRoles.listRoles({})).rejects.toMatchObject(fails(Code.Unauthenticated))
  expect(await adminRoles.listRoles({})).toMatchObject({ viewerCanManageRoles: false, viewerCanAssignRoles: false })
  expect(await admin.bert.adminRoles.listRoles({})).toMatchObject({
    viewerCanManageRoles: true,
    viewerCanAssignRoles: true,
  })
})

describe('roles', () => {
  test('are listed by position with their decisions for the server', async () => {
    const { roles } = await admin.alice.adminRoles.listRoles({})
    expect(roles.map(({ role }) => [role?.name, role?.position])).toEqual([
      ['everyone', 0],
      ['moderator', 100],
      ['admin', 900],
      ['owner', 1000],
    ])
    expect(roles[1]).toMatchObject({ permissions: ['room.ban-member', 'message.manage'], permissionDenials: [] })
    expect(roles[2]?.permissions).toHaveLength(15)
    expect(roles[3]?.permissions).toHaveLength(20)
  })

  test('are shown with their denials', async () => {
    await createRole('muted')
    const deny = { roleName: 'muted', permission: 'message.post', decision: PermissionDecision.DENY }
    await admin.bert.adminPermissions.setRolePermission(deny)
    const { role } = await admin.alice.adminRoles.getRole({ name: 'muted' })
    expect(role).toMatchObject({ permissions: [], permissionDenials: ['message.post'] })
    await admin.bert.adminRoles.deleteRole({ name: 'muted' })
  })

  test('are shown with their holders to people who may assign them', async () => {
    fakes.people = [{ id: 'Umia', roleIds: ['moderator'] }, { id: 'Unoah' }]
    const seenBy = async (who: 'alice' | 'bert') => {
      const { users, ...rights } = await admin[who].adminRoles.getRole({ name: 'moderator' })
      return { users: users.map(({ id }) => id), ...rights }
    }
    expect(await seenBy('alice')).toMatchObject({ users: [], viewerCanManageRoles: false, viewerCanAssignRoles: false })
    expect(await seenBy('bert')).toMatchObject({ users: ['Umia'], viewerCanManageRoles: true })
    await expect(admin.alice.adminRoles.getRole({ name: 'nobody' })).rejects.toMatchObject(fails(Code.NotFound))
    fakes.unavailable.add('accounts')
    expect(await seenBy('alice')).toMatchObject({ users: [] })
    await expect(seenBy('bert')).rejects.toMatchObject(fails(Code.Unavailable))
  })

  test('are the same in RoleService, without permissions', async () => {
    await createRole('cook', { description: 'Feeds people.', pingable: true })
    const { roles } = await admin.alice.roles.listRoles({})
    expect(roles.map(({ name }) => name)).toEqual(await names())
    const { role } = await admin.alice.roles.getRole({ name: 'cook' })
    expect(role).toMatchObject({ displayName: 'COOK', description: 'Feeds people.', pingable: true, position: 1 })
    const found = await admin.alice.roles.batchGetRoles({ names: ['nobody', 'cook', 'admin', 'cook'] })
    expect(found.roles.map(({ name }) => name)).toEqual(['cook', 'admin'])
    await expect(admin.alice.roles.getRole({ name: 'nobody' })).rejects.toMatchObject(fails(Code.NotFound))
    await admin.bert.adminRoles.deleteRole({ name: 'cook' })
  })
})

describe('a new role', () => {
  test('comes after the other custom roles, reserves its name and is audited', async () => {
    expect(await createRole('pilot')).toMatchObject({
      role: { name: 'pilot', displayName: 'PILOT', isSystem: false, position: 1, pingable: false },
      permissions: [],
      permissionDenials: [],
    })
    expect(await createRole('crew')).toMatchObject({ role: { position: 2 } })
    expect(await names()).toEqual(['everyone', 'pilot', 'crew', 'moderator', 'admin', 'owner'])
    const roleId = fakes.handles.get('pilot') ?? ''
    expect(roleId).toMatch(/^O/)
    await eventually(() => {
      expect(auditEventsAbout('pilot')).toEqual([
        ['rbac_role_created', 'Ubert', { role_id: roleId, role_name: 'pilot' }],
      ])
    })
    await removeAll()
  })

  test.each(['', 'Crew', '1st', '-crew', 'crew-', 'cr ew', 'crew_1', 'x'.repeat(33), 'cr\0ew', 'crew\n'])(
    'cannot be called %j',
    async (name) => {
      await expect(createRole(name)).rejects.toMatchObject(fails(Code.InvalidArgument))
    },
  )

  test.each(['a', 'x'.repeat(32), 'a-1', 'a--b'])('can be called %j', async (name) => {
    expect(await createRole(name)).toMatchObject({ role: { name } })
    await admin.bert.adminRoles.deleteRole({ name })
  })

  test.each(['everyone', 'owner', 'all', 'here', 'taken'])(
    'cannot be called %s, which is taken or reserved',
    async (name) => {
      fakes.handles.set('taken', 'Usomebody')
      await expect(createRole(name)).rejects.toMatchObject(fails(Code.AlreadyExists))
      expect(await names()).toEqual(['everyone', 'moderator', 'admin', 'owner'])
    },
  )

  test.each([
    { displayName: 'x'.repeat(81) },
    { description: 'x'.repeat(501) },
    { displayName: 'a\u0007b' },
    { description: 'a\0b' },
  ])('is refused with %j', async (texts) => {
    await expect(createRole('crew', texts)).rejects.toMatchObject(fails(Code.InvalidArgument))
    expect(fakes.handles.has('crew')).toBe(false)
  })

  test('is created once by concurrent calls', async () => {
    const codes = await Promise.all(
      Array.from({ length: 6 }, () =>
        createRole('rush').then(
          () => undefined,
          (error: { code: Code }) => error.code,
        ),
      ),
    )
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(codes.filter((code) => code === Code.AlreadyExists)).toHaveLength(5)
    expect((await customRoles()).map(({ name }) => name)).toEqual(['rush'])
    await removeAll()
  })

  test('skips the positions of system roles', async () => {
    for (let n = 1; n <= 101; n++) await createRole(`r${n}`)
    expect((await customRoles()).slice(98).map(({ name, position }) => [name, position])).toEqual([
      ['r99', 99],
      ['r100', 101],
      ['r101', 102],
    ])
    const backwards = (await customRoles()).map(({ name }) => name).reverse()
    await admin.bert.adminRoles.reorderRoles({ roleNames: backwards })
    const after = await customRoles()
    expect(after.map(({ name }) => name)).toEqual(backwards)
    expect(after.map(({ position }) => position)).toEqual([...Array.from({ length: 99 }, (_, n) => n + 1), 101, 102])
    await removeAll()
  })
})

describe('an update', () => {
  test('sets the named fields, even of system roles, and is audited per field', async () => {
    const before = (await admin.alice.adminRoles.getRole({ name: 'moderator' })).role
    const change = { name: 'moderator', displayName: 'Guard', description: '', pingable: false }
    const { role } = await admin.bert.adminRoles.updateRole(change)
    expect(role).toMatchObject({
      role: { name: 'moderator', displayName: 'Guard', description: '', pingable: false, position: 100 },
      permissions: before?.permissions,
    })
    expect((await admin.alice.adminRoles.getRole({ name: 'moderator' })).role).toEqual(role)
    await admin.bert.adminRoles.updateRole({ name: 'moderator', pingable: true })
    const { displayName = '', description = '' } = before?.role ?? {}
    await admin.bert.adminRoles.updateRole({ name: 'moderator', displayName, description })
    const about = { role_id: 'moderator', role_name: 'moderator' }
    await eventually(() => {
      expect(auditEventsAbout('moderator')).toEqual([
        ['rbac_role_display_name_changed', 'Ubert', about],
        ['rbac_role_description_changed', 'Ubert', about],
        ['rbac_role_pingable_changed', 'Ubert', { ...about, pingable: 'false' }],
        ['rbac_role_pingable_changed', 'Ubert', { ...about, pingable: 'true' }],
        ['rbac_role_display_name_changed', 'Ubert', about],
        ['rbac_role_description_changed', 'Ubert', about],
      ])
    })
  })

  test('that changes nothing does not increase the revision', async () => {
    const { revision } = await admin.anonymous.internal.getPolicy({})
    await admin.bert.adminRoles.updateRole({ name: 'admin', displayName: 'Admin' })
    expect((await admin.anonymous.internal.getPolicy({})).revision).toBe(revision)
  })

  test('must name a field and an existing role', async () => {
    const { adminRoles } = admin.bert
    await expect(adminRoles.updateRole({ name: 'admin' })).rejects.toMatchObject(fails(Code.InvalidArgument))
    await expect(adminRoles.updateRole({ name: 'nobody', pingable: true })).rejects.toMatchObject(fails(Code.NotFound))
  })
})

describe('an order of roles', () => {
  beforeAll(async () => {
    for (const name of ['one', 'two', 'three']) await createRole(name)
  })
  afterAll(removeAll)
  const reorder = (...roleNames: string[]) => admin.bert.adminRoles.reorderRoles({ roleNames })

  test('sets the order of all custom roles, and is audited', async () => {
    const { roles } = await reorder('three', 'one', 'two')
    expect(roles.map(({ role }) => [role?.name, role?.position])).toEqual([
      ['everyone', 0],
      ['three', 1],
      ['one', 2],
      ['two', 3],
      ['moderator', 100],
      ['admin', 900],
      ['owner', 1000],
    ])
    const { revision } = await admin.anonymous.internal.getPolicy({})
    await reorder('three', 'one', 'two')
    expect((await admin.anonymous.internal.getPolicy({})).revision).toBe(revision)
    await eventually(() => {
      expect(auditEventsAbout('server').at(-1)).toEqual([
        'rbac_roles_reordered',
        'Ubert',
        { role_names: 'three one two' },
      ])
    })
  })

  test.each([
    ['is incomplete', ['one', 'two'], Code.InvalidArgument],
    ['has an additional name', ['one', 'two', 'three', 'four'], Code.InvalidArgument],
    ['has a name twice', ['one', 'two', 'two'], Code.InvalidArgument],
    ['contains a system role', ['one', 'two', 'moderator'], Code.InvalidArgument],
    ['contains an unknown name', ['one', 'two', 'four'], Code.NotFound],
    ['is empty', [], Code.InvalidArgument],
  ])('is refused if it %s', async (_, order, code) => {
    await expect(reorder(...order)).rejects.toMatchObject(fails(code))
  })
})

describe('deleting a role', () => {
  test('deletes its decisions and releases its name', async () => {
    await createRole('crew')
    const first = fakes.handles.get('crew') ?? ''
    const grant = { roleName: 'crew', permission: 'room.create', decision: PermissionDecision.ALLOW }
    await admin.bert.adminPermissions.setRolePermission(grant)
    await using control = await recordEvents(admin.bus, 'evt.control.policy.>')
    expect(await admin.bert.adminRoles.deleteRole({ name: 'crew' })).toMatchObject({ deleted: true })
    await expect(admin.alice.adminRoles.getRole({ name: 'crew' })).rejects.toMatchObject(fails(Code.NotFound))
    expect(fakes.handles.has('crew')).toBe(false)
    const { decisions } = await admin.anonymous.internal.getPolicy({})
    expect(decisions.filter(({ roleId }) => roleId === first)).toEqual([])
    await eventually(() => {
      expect(control.events.map(({ fact }) => fact)).toMatchObject([
        { case: 'policy', value: { deletedRoleIds: [first] } },
      ])
    })
    await eventually(() => {
      expect(auditEventsAbout('crew').at(-1)).toEqual([
        'rbac_role_deleted',
        'Ubert',
        { role_id: first, role_name: 'crew' },
      ])
    })

    await createRole('crew')
    expect(fakes.handles.get('crew')).not.toBe(first)
    expect((await admin.alice.adminRoles.getRole({ name: 'crew' })).role?.permissions).toEqual([])
    await removeAll()
  })

  test.each(['everyone', 'moderator', 'admin', 'owner'])('is refused for the system role %s', async (name) => {
    const { adminRoles } = admin.owner
    await expect(adminRoles.deleteRole({ name })).rejects.toMatchObject(fails(Code.FailedPrecondition))
  })

  test('is refused for an unknown role', async () => {
    await expect(admin.owner.adminRoles.deleteRole({ name: 'nobody' })).rejects.toMatchObject(fails(Code.NotFound))
  })

  test('succeeds while accounts is unavailable; the name is free later', async () => {
    await createRole('crew')
    fakes.unavailable.add('accounts')
    await admin.bert.adminRoles.deleteRole({ name: 'crew' })
    expect(fakes.handles.has('crew')).toBe(true)
    await expect(createRole('crew')).rejects.toMatchObject(fails(Code.Unavailable))
    fakes.unavailable.clear()
    expect(await createRole('crew')).toMatchObject({ role: { name: 'crew' } })
    await removeAll()
  })
})

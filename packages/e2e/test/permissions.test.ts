import { randomBytes } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { beforeEach, describe, expect, test } from '@jest/globals'
import {
  AdminPermissionService,
  AdminRoleService,
  PermissionDecision,
  PermissionScopeKind,
  type SetRolePermissionRequestSchema,
} from '@parley/contracts/admin'
import { MessageService, ViewerService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { codeOf } from '../src/http.ts'
import { socketsPerTest } from '../src/sockets-per-test.ts'
import { newPerson, operate, type Person, signInOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import type { Socket } from '@parley/testkit/realtime-socket'

const { ALLOW, DENY, NONE } = PermissionDecision
const { setRolePermission, setUserPermission } = AdminPermissionService.method

let owner: Person
let ada: Person
let bob: Person
const { listen } = socketsPerTest()
beforeEach(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})

const inRoom = (id: string) => ({ kind: PermissionScopeKind.ROOM, id })
const newName = () => `crew-${randomBytes(5).toString('hex')}`

let turn = 0
const decideForBob = (roomId: string, permission: string, decision: PermissionDecision) =>
  owner.call(
    setUserPermission,
    { userId: bob.userId, permission, decision, scope: inRoom(roomId) },
    { base: fleet().gateways[turn++ % 2 === 0 ? 0 : 1] },
  )
const decideForRole = (request: MessageInitShape<typeof SetRolePermissionRequestSchema>) =>
  owner.call(setRolePermission, request)

const bobPosts = (roomId: string) =>
  Promise.all(
    fleet().gateways.map(async (base) =>
      codeOf(await bob.attempt(MessageService.method.createMessage, { roomId, body: 'hello?' }, { base })),
    ),
  )

async function bobReceives(roomId: string, sockets: { ada: Socket[]; bob: Socket[] }): Promise<boolean[]> {
  const eventId = await post(ada, roomId, 'listen')
  for (const socket of sockets.ada) await socket.waitForMessage(eventId)
  for (const socket of sockets.bob) await socket.roundTrip()
  return sockets.bob.map(({ events }) => events.some(({ id }) => id === eventId))
}

describe('a permission decision for a user', () => {
  test('stops posting and allows it again, through both gateways', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    expect(await bobPosts(roomId)).toEqual([undefined, undefined])
    for (let round = 0; round < 3; round++) {
      await decideForBob(roomId, 'message.post', DENY)
      await eventually(async () => expect(await bobPosts(roomId)).toEqual(['permission_denied', 'permission_denied']))
      await decideForBob(roomId, 'message.post', NONE)
      await eventually(async () => expect(await bobPosts(roomId)).toEqual([undefined, undefined]))
    }
  })

  test('closes and reopens a universal room for open sockets before the response', async () => {
    const roomId = await newRoom(owner, [], { universal: true })
    const sockets = { ada: await listen(ada), bob: await listen(bob) }
    expect(await bobReceives(roomId, sockets)).toEqual([true, true])
    for (let round = 0; round < 5; round++) {
      await decideForBob(roomId, 'room.join', DENY)
      expect(await bobReceives(roomId, sockets)).toEqual([false, false])
      await decideForBob(roomId, 'room.join', NONE)
      expect(await bobReceives(roomId, sockets)).toEqual([true, true])
    }
    expect(sockets.bob.some(({ isClosed }) => isClosed)).toBe(false)
  })
})

describe('a role', () => {
  const createRole = async () => {
    const name = newName()
    await owner.call(AdminRoleService.method.createRole, { name, displayName: 'Crew' })
    return name
  }
  const deleteRole = (name: string) =>
    owner.call(AdminRoleService.method.deleteRole, { name }, { base: fleet().gateways[1] })

  test('affects open sockets from when it is granted until it is deleted', async () => {
    const roomId = await newRoom(owner, [], { universal: true })
    const name = await createRole()
    await decideForRole({ roleName: name, permission: 'room.join', decision: DENY, scope: inRoom(roomId) })
    const sockets = { ada: await listen(ada), bob: await listen(bob) }
    expect(await bobReceives(roomId, sockets)).toEqual([true, true])
    await operate(['user', 'grant-role', '--login', bob.login, '--role', name])
    expect(await bobReceives(roomId, sockets)).toEqual([false, false])
    await deleteRole(name)
    expect(await bobReceives(roomId, sockets)).toEqual([true, true])
  })

  test('that is deleted and created again has no effect for its former holders', async () => {
    const name = await createRole()
    await decideForRole({ roleName: name, permission: 'room.create', decision: ALLOW })
    await operate(['user', 'grant-role', '--login', bob.login, '--role', name])
    const mayCreateRooms = async () => {
      const answers = fleet().gateways.map((base) => bob.call(ViewerService.method.getViewer, {}, { base }))
      const may = (await Promise.all(answers)).map(({ viewerPermissions }) =>
        viewerPermissions?.permissions.some(({ permission, granted }) => permission === 'room.create' && granted),
      )
      return may
    }
    await eventually(async () => expect(await mayCreateRooms()).toEqual([true, true]))
    const holders = async () => (await owner.call(AdminRoleService.method.getRole, { name })).users.map(({ id }) => id)
    expect(await holders()).toEqual([bob.userId])

    await deleteRole(name)
    await owner.call(AdminRoleService.method.createRole, { name, displayName: 'Another crew' })
    await decideForRole({ roleName: name, permission: 'room.create', decision: ALLOW })
    await eventually(async () => expect(await mayCreateRooms()).toEqual([false, false]))
    expect(await holders()).toEqual([])
    await deleteRole(name)
  })

  test('cannot have the name of a login; a deleted role frees its name', async () => {
    const taken = await owner.attempt(AdminRoleService.method.createRole, { name: ada.login.toLowerCase() })
    expect(codeOf(taken)).toBe('already_exists')
    const name = await createRole()
    const register = () => operate(['user', 'create', '--login', name, '--password-stdin'], 'a good password')
    await expect(register()).rejects.toThrow(name)
    await deleteRole(name)
    await eventually(register)
  })
})

test('an explanation through the other gateway shows the latest decision', async () => {
  const roomId = await newRoom(owner, [bob])
  await decideForBob(roomId, 'message.react', DENY)
  const { explanations } = await owner.call(
    AdminPermissionService.method.explainPermissions,
    { userId: bob.userId, roomId },
    { base: fleet().gateways[1] },
  )
  const explanation = explanations.find(({ permission }) => permission === 'message.react')
  expect(explanation).toMatchObject({ state: DENY, decidedByRole: '' })
  expect(explanation?.trace[0]).toMatchObject({ decision: DENY, applied: true })
})

test('the permission matrix of a role contains the rooms of this server', async () => {
  const roomId = await newRoom(owner)
  const decision = { roleName: 'moderator', permission: 'room.manage', scope: inRoom(roomId) }
  await decideForRole({ ...decision, decision: ALLOW })
  for (const base of fleet().gateways) {
    const { matrix } = await owner.call(
      AdminPermissionService.method.getRolePermissionMatrix,
      { roleName: 'moderator' },
      { base },
    )
    const cell = matrix?.cells.find(
      ({ permission, scopeId }) => permission === 'room.manage' && scopeId === `room:${roomId}`,
    )
    expect(cell).toMatchObject({ override: ALLOW, effective: ALLOW })
  }
  await decideForRole({ ...decision, decision: NONE })
})

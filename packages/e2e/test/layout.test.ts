import { beforeEach, expect, test } from '@jest/globals'
import {
  AdminEventLogService,
  AdminPermissionService,
  AdminRoomLayoutService,
  PermissionDecision,
  PermissionScopeKind,
} from '@parley/contracts/admin'
import { MessageService, RoomDirectoryService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { codeOf } from '../src/http.ts'
import { socketsPerTest } from '../src/sockets-per-test.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { lobbyId, newRoom, post } from '../src/rooms.ts'

const { createRoomGroup, createSidebarLink, deleteRoomGroup, moveRoomToGroup, moveSidebarLinkToGroup } =
  AdminRoomLayoutService.method

let owner: Person
let ada: Person
let bob: Person
const { listen } = socketsPerTest()
beforeEach(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})

async function newGroup(): Promise<string> {
  const { group } = await owner.call(createRoomGroup, { name: 'Projects' })
  return group?.id ?? ''
}

test('a change of the layout is announced to users and recorded in the audit log', async () => {
  const sockets = await listen(bob)
  const groupId = await newGroup()
  const { sidebarLink } = await owner.call(createSidebarLink, { groupId, label: 'Wiki', url: 'https://wiki.example' })
  for (const socket of sockets) await socket.waitFor(({ event }) => event.case === 'roomGroupsUpdated')
  const { group } = await bob.call(RoomDirectoryService.method.getRoomGroup, { groupId })
  expect(group?.items).toMatchObject([{ item: { case: 'sidebarLink', value: { id: sidebarLink?.id, label: 'Wiki' } } }])

  await owner.call(moveSidebarLinkToGroup, { linkId: sidebarLink?.id ?? '', groupId: await lobbyId(owner) })
  await owner.call(deleteRoomGroup, { groupId })
  await eventually(async () => {
    const { entries } = await owner.call(AdminEventLogService.method.listEvents, { limit: 200 })
    const about = entries.filter(({ aggregateId }) => aggregateId === groupId).map(({ eventType }) => eventType)
    expect(about.sort()).toEqual([
      'RoomGroupCreatedEvent',
      'RoomGroupDeletedEvent',
      'SidebarLinkAddedToGroupEvent',
      'SidebarLinkRemovedFromGroupEvent',
    ])
  })
})

test('a universal room moved to a group that a user may not join is closed to that user, also on open sockets', async () => {
  const [here, there] = [await lobbyId(owner), await newGroup()]
  const decide = (decision: PermissionDecision) =>
    owner.call(AdminPermissionService.method.setUserPermission, {
      userId: bob.userId,
      permission: 'room.join',
      decision,
      scope: { kind: PermissionScopeKind.GROUP, id: there },
    })
  await decide(PermissionDecision.DENY)
  const roomId = await newRoom(owner, [], { universal: true })
  const sockets = { ada: await listen(ada), bob: await listen(bob) }
  const bobReceives = async () => {
    const eventId = await post(ada, roomId, 'listen')
    for (const socket of sockets.ada) await socket.waitForMessage(eventId)
    for (const socket of sockets.bob) await socket.roundTrip()
    return sockets.bob.map(({ events }) => events.some(({ id }) => id === eventId))
  }
  const bobPosts = async () => codeOf(await bob.attempt(MessageService.method.createMessage, { roomId, body: 'hello' }))
  for (let round = 0; round < 3; round++) {
    expect(await bobReceives()).toEqual([true, true])
    expect(await bobPosts()).toBeUndefined()
    await owner.call(moveRoomToGroup, { roomId, groupId: there }, { base: fleet().gateways[round % 2 === 0 ? 0 : 1] })
    expect(await bobReceives()).toEqual([false, false])
    expect(await bobPosts()).toBe('permission_denied')
    await owner.call(moveRoomToGroup, { roomId, groupId: here }, { base: fleet().gateways[round % 2 === 0 ? 1 : 0] })
  }
})

test('all rooms of a group are joined at once, and their events arrive', async () => {
  const groupId = await newGroup()
  const rooms = [await newRoom(owner, [ada], { groupId }), await newRoom(owner, [ada], { groupId })]
  const sockets = await listen(bob)
  const { joinedRoomIds } = await bob.call(RoomService.method.joinRoomGroup, { groupId })
  expect(joinedRoomIds).toEqual(rooms)
  for (const roomId of rooms) {
    const eventId = await post(ada, roomId, 'welcome')
    for (const socket of sockets) await socket.waitForMessage(eventId)
    await post(bob, roomId, 'thank you')
  }
})

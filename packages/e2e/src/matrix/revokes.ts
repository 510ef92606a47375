import { randomBytes } from 'node:crypto'
import {
  AdminPermissionService,
  AdminRoleService,
  AdminRoomLayoutService,
  AdminUserService,
  PermissionDecision,
  PermissionScopeKind,
} from '@parley/contracts/admin'
import { MessageService, RoomService } from '@parley/contracts/api'
import { fleet } from '../fleet.ts'
import { postJson } from '../http.ts'
import type { Kind } from '../listeners.ts'
import type { Person } from '../people.ts'
import { roomName } from '../rooms.ts'

/** A room with a member who is about to lose it. */
export type Scene = { owner: Person; victim: Person; roomId: string }

/** A way to lose a room, and the events that the person receives about it. */
export type Revoke = {
  how: string
  /** Whether the room was universal before. */
  universal: boolean
  revoke: (scene: Scene) => Promise<unknown>
  receives: Kind[]
  /** The victim's sockets are closed. */
  closes?: boolean
}

const { leaveRoom, removeMember, banMember, updateRoom } = RoomService.method
const { setUserPermission, setRolePermission } = AdminPermissionService.method

const denial = { permission: 'room.join', decision: PermissionDecision.DENY }
const inRoom = (id: string) => ({ kind: PermissionScopeKind.ROOM, id })
const inGroup = (id: string) => ({ kind: PermissionScopeKind.GROUP, id })
const ban = ({ owner, roomId, victim: { userId } }: Scene, expiresAt?: { seconds: bigint; nanos: number }) =>
  owner.call(banMember, { roomId, userId, reason: 'noise', ...(expiresAt && { expiresAt }) })
const inAnHour = () => ({ seconds: BigInt(Math.floor(Date.now() / 1000) + 3600), nanos: 0 })

async function newGroup(owner: Person): Promise<string> {
  const { group } = await owner.call(AdminRoomLayoutService.method.createRoomGroup, { name: 'Elsewhere' })
  return group?.id ?? ''
}

async function newRole(owner: Person): Promise<string> {
  const name = `crew-${randomBytes(5).toString('hex')}`
  await owner.call(AdminRoleService.method.createRole, { name, displayName: 'Crew' })
  return name
}

/** Every way to lose a room. */
export const revokes: Revoke[] = [
  {
    how: 'left',
    universal: false,
    revoke: ({ victim, roomId }) => victim.call(leaveRoom, { roomId }, { base: fleet().gateways[1] }),
    receives: ['userLeftRoom'],
  },
  {
    how: 'were removed',
    universal: false,
    revoke: ({ owner, victim: { userId }, roomId }) => owner.call(removeMember, { roomId, userId }),
    receives: ['userLeftRoom'],
  },
  { how: 'were banned', universal: false, revoke: (scene) => ban(scene), receives: ['userLeftRoom'] },
  {
    how: 'were banned for an hour',
    universal: false,
    revoke: (scene) => ban(scene, inAnHour()),
    receives: ['userLeftRoom'],
  },
  {
    how: 'were banned from a universal room',
    universal: true,
    revoke: (scene) => ban(scene),
    receives: ['userLeftRoom'],
  },
  {
    how: 'belonged to a room because it was universal',
    universal: true,
    revoke: ({ owner, roomId }) => owner.call(updateRoom, { roomId, universal: false }),
    receives: ['roomUniversalChanged'],
  },
  {
    how: 'are denied a universal room by a decision about them',
    universal: true,
    revoke: ({ owner, victim: { userId }, roomId }) =>
      owner.call(setUserPermission, { ...denial, userId, scope: inRoom(roomId) }, { base: fleet().gateways[1] }),
    receives: [],
  },
  {
    how: 'are given a role that is denied the room',
    universal: true,
    revoke: async ({ owner, victim: { userId }, roomId }) => {
      const roleName = await newRole(owner)
      await owner.call(setRolePermission, { ...denial, roleName, scope: inRoom(roomId) })
      await owner.call(AdminUserService.method.assignRole, { userId, roleName })
    },
    receives: [],
  },
  {
    how: 'hold a role that is denied the room from now on',
    universal: true,
    revoke: async ({ owner, victim: { userId }, roomId }) => {
      const roleName = await newRole(owner)
      await owner.call(AdminUserService.method.assignRole, { userId, roleName })
      await owner.call(setRolePermission, { ...denial, roleName, scope: inRoom(roomId) }, { base: fleet().gateways[1] })
    },
    receives: [],
  },
  {
    how: 'are denied the group that a universal room is moved to',
    universal: true,
    revoke: async ({ owner, victim: { userId }, roomId }) => {
      const groupId = await newGroup(owner)
      await owner.call(setUserPermission, { ...denial, userId, scope: inGroup(groupId) })
      await owner.call(AdminRoomLayoutService.method.moveRoomToGroup, { roomId, groupId })
    },
    receives: [],
  },
  {
    how: 'signed out',
    universal: false,
    revoke: ({ victim }) => postJson(`${fleet().gateways[1]}/auth/logout`, {}, victim.authorization),
    receives: ['sessionTerminated'],
    closes: true,
  },
  {
    how: 'were given another password',
    universal: false,
    revoke: ({ owner, victim: { userId } }) =>
      owner.call(AdminUserService.method.updateUserPassword, { userId, password: 'a completely new one' }),
    receives: ['sessionTerminated'],
    closes: true,
  },
  {
    how: 'were deleted',
    universal: false,
    revoke: ({ owner, victim: { userId } }) => owner.call(AdminUserService.method.deleteUser, { userId }),
    receives: ['sessionTerminated'],
    closes: true,
  },
]

/** One of each kind of event that happens in a room; gives the id of the last message. */
export async function everythingIn(roomId: string, owner: Person, writer: Person): Promise<string> {
  const bases = fleet().gateways
  let turn = 0
  const at = () => ({ base: bases[turn++ % 2 === 0 ? 0 : 1] })
  const { createMessage, updateMessage, addReaction, removeReaction, deleteMessage } = MessageService.method
  const say = async (body: string, more: { threadRootEventId?: string; alsoSendToChannel?: boolean } = {}) =>
    (await writer.call(createMessage, { roomId, body, ...more }, at())).message?.id ?? ''
  const eventId = await say('one of many')
  const emoji = { roomId, messageEventId: eventId, emoji: 'tada' }
  await writer.call(updateMessage, { roomId, eventId, body: 'changed' }, at())
  await writer.call(addReaction, emoji, at())
  await writer.call(removeReaction, emoji, at())
  await say('below', { threadRootEventId: eventId, alsoSendToChannel: true })
  await writer.call(deleteMessage, { roomId, eventId }, at())
  await writer.call(RoomService.method.updateTypingIndicator, { roomId }, at())
  await owner.call(updateRoom, { roomId, name: roomName() }, at())
  await owner.call(RoomService.method.archiveRoom, { roomId }, at())
  await owner.call(RoomService.method.unarchiveRoom, { roomId }, at())
  return say('the last')
}

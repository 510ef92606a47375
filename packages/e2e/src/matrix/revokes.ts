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

export type Membership = { owner: Person; victim: Person; roomId: string }

/** `how` completes "people who ...". */
export type Revoke = {
  how: string
  isUniversal: boolean
  revoke: (membership: Membership) => Promise<unknown>
  receives: Kind[]
  closesSockets?: boolean
}

const { leaveRoom, removeMember, banMember, updateRoom } = RoomService.method
const { setUserPermission, setRolePermission } = AdminPermissionService.method

const denial = { permission: 'room.join', decision: PermissionDecision.DENY }
const inRoom = (id: string) => ({ kind: PermissionScopeKind.ROOM, id })
const inGroup = (id: string) => ({ kind: PermissionScopeKind.GROUP, id })
const ban = ({ owner, roomId, victim: { userId } }: Membership, expiresAt?: { seconds: bigint; nanos: number }) =>
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

export const revokes: Revoke[] = [
  {
    how: 'left',
    isUniversal: false,
    revoke: ({ victim, roomId }) => victim.call(leaveRoom, { roomId }, { base: fleet().gateways[1] }),
    receives: ['userLeftRoom'],
  },
  {
    how: 'were removed',
    isUniversal: false,
    revoke: ({ owner, victim: { userId }, roomId }) => owner.call(removeMember, { roomId, userId }),
    receives: ['userLeftRoom'],
  },
  { how: 'were banned', isUniversal: false, revoke: (membership) => ban(membership), receives: ['userLeftRoom'] },
  {
    how: 'were banned for an hour',
    isUniversal: false,
    revoke: (membership) => ban(membership, inAnHour()),
    receives: ['userLeftRoom'],
  },
  {
    how: 'were banned from a universal room',
    isUniversal: true,
    revoke: (membership) => ban(membership),
    receives: ['userLeftRoom'],
  },
  {
    how: 'lost the room because it is no longer universal',
    isUniversal: true,
    revoke: ({ owner, roomId }) => owner.call(updateRoom, { roomId, universal: false }),
    receives: ['roomUniversalChanged'],
  },
  {
    how: 'are denied a universal room by a decision for them',
    isUniversal: true,
    revoke: ({ owner, victim: { userId }, roomId }) =>
      owner.call(setUserPermission, { ...denial, userId, scope: inRoom(roomId) }, { base: fleet().gateways[1] }),
    receives: [],
  },
  {
    how: 'were assigned a role that is denied the room',
    isUniversal: true,
    revoke: async ({ owner, victim: { userId }, roomId }) => {
      const roleName = await newRole(owner)
      await owner.call(setRolePermission, { ...denial, roleName, scope: inRoom(roomId) })
      await owner.call(AdminUserService.method.assignRole, { userId, roleName })
    },
    receives: [],
  },
  {
    how: 'have a role that was then denied the room',
    isUniversal: true,
    revoke: async ({ owner, victim: { userId }, roomId }) => {
      const roleName = await newRole(owner)
      await owner.call(AdminUserService.method.assignRole, { userId, roleName })
      await owner.call(setRolePermission, { ...denial, roleName, scope: inRoom(roomId) }, { base: fleet().gateways[1] })
    },
    receives: [],
  },
  {
    how: 'are denied the group to which a universal room was moved',
    isUniversal: true,
    revoke: async ({ owner, victim: { userId }, roomId }) => {
      const groupId = await newGroup(owner)
      await owner.call(setUserPermission, { ...denial, userId, scope: inGroup(groupId) })
      await owner.call(AdminRoomLayoutService.method.moveRoomToGroup, { roomId, groupId })
    },
    receives: [],
  },
  {
    how: 'signed out',
    isUniversal: false,
    revoke: ({ victim }) => postJson(`${fleet().gateways[1]}/auth/logout`, {}, victim.authorization),
    receives: ['sessionTerminated'],
    closesSockets: true,
  },
  {
    how: 'were given a new password',
    isUniversal: false,
    revoke: ({ owner, victim: { userId } }) =>
      owner.call(AdminUserService.method.updateUserPassword, { userId, password: 'a completely new one' }),
    receives: ['sessionTerminated'],
    closesSockets: true,
  },
  {
    how: 'were deleted',
    isUniversal: false,
    revoke: ({ owner, victim: { userId } }) => owner.call(AdminUserService.method.deleteUser, { userId }),
    receives: ['sessionTerminated'],
    closesSockets: true,
  },
]

export async function causeRoomEvents(roomId: string, owner: Person, writer: Person): Promise<string> {
  const bases = fleet().gateways
  let turn = 0
  const nextGateway = () => ({ base: bases[turn++ % 2 === 0 ? 0 : 1] })
  const { createMessage, updateMessage, addReaction, removeReaction, deleteMessage } = MessageService.method
  const say = async (body: string, more: { threadRootEventId?: string; alsoSendToChannel?: boolean } = {}) =>
    (await writer.call(createMessage, { roomId, body, ...more }, nextGateway())).message?.id ?? ''
  const eventId = await say('one of many')
  const emoji = { roomId, messageEventId: eventId, emoji: 'tada' }
  await writer.call(updateMessage, { roomId, eventId, body: 'changed' }, nextGateway())
  await writer.call(addReaction, emoji, nextGateway())
  await writer.call(removeReaction, emoji, nextGateway())
  await say('below', { threadRootEventId: eventId, alsoSendToChannel: true })
  await writer.call(deleteMessage, { roomId, eventId }, nextGateway())
  await writer.call(RoomService.method.updateTypingIndicator, { roomId }, nextGateway())
  await owner.call(updateRoom, { roomId, name: roomName() }, nextGateway())
  await owner.call(RoomService.method.archiveRoom, { roomId }, nextGateway())
  await owner.call(RoomService.method.unarchiveRoom, { roomId }, nextGateway())
  return say('the last')
}

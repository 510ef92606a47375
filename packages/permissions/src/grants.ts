import { RoomKind } from '@parley/contracts/api'
import { bitOf, bitsOf, type Bits } from './bits.ts'
import { permissions, type Permission } from './permissions.ts'
import type { Policy } from './policy.ts'
import { allowedBits, serverScope, type Scope, type Subject } from './resolve.ts'

export type Grant = { permission: Permission; granted: boolean }

export type RoomProperties = {
  readonly roomId: string
  readonly kind: RoomKind
  /** Empty for a direct message. */
  readonly groupId: string
  readonly archived: boolean
}

export function roomScope(room: Pick<RoomProperties, 'roomId' | 'kind' | 'groupId'>): Scope {
  const { roomId, groupId } = room
  return room.kind === RoomKind.DM ? { kind: 'dm', roomId } : { kind: 'room', roomId, groupId }
}

/**
 * Whether a user is a member of a room: explicitly, or in a universal channel through room.join; never while banned.
 */
export function isEffectiveMember(
  policy: Policy,
  subject: Subject,
  room: Pick<RoomProperties, 'roomId' | 'kind' | 'groupId'> & { readonly universal: boolean },
  membership: { readonly member: boolean; readonly banned: boolean },
): boolean {
  if (membership.banned) return false
  if (membership.member) return true
  return room.universal && (allowedBits(policy, subject, roomScope(room)) & bitOf('room.join')) !== 0
}

/** `viewer_permissions` of GetViewer: the 20 permissions at server scope, in the order of `permissions`. */
export function viewerPermissions(policy: Policy, subject: Subject): Grant[] {
  const allowed = allowedBits(policy, subject, serverScope)
  return permissions.map(({ permission }) => grant(permission, allowed))
}

/** `viewer_state.permissions` of a room group: room.create. */
export function groupPermissions(policy: Policy, subject: Subject, groupId: string): Grant[] {
  return [grant('room.create', allowedBits(policy, subject, { kind: 'group', groupId }))]
}

/** The permissions in the viewer state of a room, in the contract's order. */
const inRooms = [
  'room.list',
  'room.join',
  'message.post',
  'message.post-in-thread',
  'message.attach',
  'message.react',
  'message.echo',
  'message.manage',
  'room.manage',
  'room.ban-member',
] as const satisfies Permission[]

const bitsOfRooms = bitsOf(...inRooms)
const joining = bitOf('room.join')
const writing = bitsOf('message.post', 'message.post-in-thread', 'message.attach', 'message.react', 'message.echo')
const moderating = bitOf('message.manage')
const managing = bitsOf('room.manage', 'room.ban-member')

/** By the granted permissions. Rooms share these lists, because a response may contain thousands of them. */
const listsInRooms = new Map<Bits, Grant[]>()

/**
 * `viewer_state.permissions` of a room: what the viewer may do there now. Only a non-member who is not banned may join,
 * and only an active channel. Only members of active rooms may post, attach, react and echo; only members may moderate
 * messages. Nobody may manage or ban in direct messages. `isMember`: effective membership. The result is shared and
 * frozen.
 */
export function roomPermissions(
  policy: Policy,
  subject: Subject,
  room: RoomProperties,
  { isMember, banned }: { readonly isMember: boolean; readonly banned: boolean },
): Grant[] {
  const channel = room.kind !== RoomKind.DM
  const active = !room.archived
  let granted = allowedBits(policy, subject, roomScope(room)) & bitsOfRooms
  if (!channel || !active || isMember || banned) granted &= ~joining
  if (!isMember || !active) granted &= ~writing
  if (!isMember) granted &= ~moderating
  if (!channel) granted &= ~managing
  const known = listsInRooms.get(granted)
  if (known) return known
  const list = inRooms.map((permission) => grant(permission, granted))
  Object.freeze(list).forEach(Object.freeze)
  listsInRooms.set(granted, list)
  return list
}

function grant(permission: Permission, allowed: Bits): Grant {
  return { permission, granted: (allowed & bitOf(permission)) !== 0 }
}

import { RoomKind } from '@parley/contracts/api'
import { bitOf, type Bits } from './bits.ts'
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

/**
 * `viewer_state.permissions` of a room, in the contract's order: what the viewer may do there now. Only a non-member
 * may join, and only an active channel. Only members of active rooms may post, attach, react and echo; only members may
 * moderate messages. Nobody may manage or ban in direct messages. `isMember`: effective membership.
 */
export function roomPermissions(policy: Policy, subject: Subject, room: RoomProperties, isMember: boolean): Grant[] {
  const allowed = allowedBits(policy, subject, roomScope(room))
  const channel = room.kind !== RoomKind.DM
  const active = !room.archived
  const mayWrite = isMember && active
  return [
    grant('room.list', allowed),
    grant('room.join', allowed, channel && active && !isMember),
    grant('message.post', allowed, mayWrite),
    grant('message.post-in-thread', allowed, mayWrite),
    grant('message.attach', allowed, mayWrite),
    grant('message.react', allowed, mayWrite),
    grant('message.echo', allowed, mayWrite),
    grant('message.manage', allowed, isMember),
    grant('room.manage', allowed, channel),
    grant('room.ban-member', allowed, channel),
  ]
}

function grant(permission: Permission, allowed: Bits, possible = true): Grant {
  return { permission, granted: possible && (allowed & bitOf(permission)) !== 0 }
}

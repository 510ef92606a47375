import { may, roomScope, serverScope, type Policy, type Subject } from '@parley/permissions'
import type { RoomHeader } from '@parley/contracts/internal'
import { groupNotFound, permissionRequired, roomNotFound } from '../errors.ts'

/** `name` and `room` are undefined if the group or room does not exist. */
export type ResolvedScope =
  | { readonly kind: 'server' }
  | { readonly kind: 'group'; readonly groupId: string; readonly name: string | undefined }
  | { readonly kind: 'room'; readonly roomId: string; readonly room: RoomHeader | undefined }

/** Requires role.manage or, for a room, room.manage in that room. */
export function assertMayDecideAt(policy: Policy, subject: Subject, resolved: ResolvedScope): void {
  if (may(policy, subject, 'role.manage', serverScope)) return
  if (resolved.kind !== 'room') throw permissionRequired('role.manage')
  if (!resolved.room || !may(policy, subject, 'room.manage', roomScope(resolved.room)))
    throw permissionRequired('room.manage')
}

export function assertExists(resolved: ResolvedScope): void {
  if (resolved.kind === 'group' && resolved.name === undefined) throw groupNotFound()
  if (resolved.kind === 'room' && !resolved.room) throw roomNotFound()
}

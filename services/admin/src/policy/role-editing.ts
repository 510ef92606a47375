import { may, roomScope, serverScope, type Policy, type Subject } from '@parley/permissions'
import type { RoomHeader } from '@parley/contracts/internal'
import { groupNotFound, lacksPermission, roomNotFound } from '../errors.ts'

/** A scope named in a request, and whether it exists. */
export type Place =
  | { readonly kind: 'server' }
  | { readonly kind: 'group'; readonly groupId: string; readonly name: string | undefined }
  | { readonly kind: 'room'; readonly roomId: string; readonly room: RoomHeader | undefined }

/** Holders of role.manage may decide everywhere; holders of room.manage in a room may decide there. */
export function assertMayEditRoles(policy: Policy, subject: Subject, place: Place): void {
  if (may(policy, subject, 'role.manage', serverScope)) return
  if (place.kind !== 'room') throw lacksPermission('role.manage')
  if (!place.room || !may(policy, subject, 'room.manage', roomScope(place.room))) throw lacksPermission('room.manage')
}

/** Throws `not_found` for a missing group or room. */
export function assertExists(place: Place): void {
  if (place.kind === 'group' && place.name === undefined) throw groupNotFound()
  if (place.kind === 'room' && !place.room) throw roomNotFound()
}

import type { ConnectError } from '@connectrpc/connect'
import { isEffectiveMember, may, roomScope, type Permission, type Policy, type Subject } from '@parley/permissions'
import type { RoomHeader, Standing } from '../domain/room-header.ts'
import { lacksPermission, notAMember, roomArchived } from '../errors.ts'

export type PostProperties = { inThread: boolean; withEcho: boolean; withAttachments: boolean }

export function refusalOfPosting(
  policy: Policy,
  subject: Subject,
  room: RoomHeader,
  properties: PostProperties,
): ConnectError | undefined {
  if (room.archived) return roomArchived()
  const missing = requiredPermissions(properties).find(
    (permission) => !may(policy, subject, permission, roomScope(room)),
  )
  return missing && lacksPermission(missing)
}

export function assertMayRead(
  policy: Policy,
  subject: Subject,
  room: Parameters<typeof isEffectiveMember>[2],
  standing: Standing,
): void {
  if (!isEffectiveMember(policy, subject, room, standing)) throw notAMember(room)
}

/** Whether the room is universal and the user has `room.join`. Ignores bans. */
export const isImplicitMember = (policy: Policy, subject: Subject, room: RoomHeader): boolean =>
  isEffectiveMember(policy, subject, room, { member: false, banned: false })

function requiredPermissions({ inThread, withEcho, withAttachments }: PostProperties): Permission[] {
  return [
    inThread ? 'message.post-in-thread' : 'message.post',
    ...(withEcho ? (['message.echo', 'message.post'] as const) : []),
    ...(withAttachments ? (['message.attach'] as const) : []),
  ]
}

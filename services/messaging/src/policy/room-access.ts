import type { ConnectError } from '@connectrpc/connect'
import { isEffectiveMember, may, roomScope, type Permission, type Policy, type Subject } from '@parley/permissions'
import type { RoomHeader, Standing } from '../domain/room-line.ts'
import { lacksPermission, notAMember, roomArchived } from '../errors.ts'

/** The properties of a post on which permissions depend. */
export type Posting = { inThread: boolean; withEcho: boolean; withAttachments: boolean }

/** The reason why a member may not post in the room; undefined if they may. */
export function refusalOfPosting(
  policy: Policy,
  subject: Subject,
  room: RoomHeader,
  posting: Posting,
): ConnectError | undefined {
  if (room.archived) return roomArchived()
  const missing = needed(posting).find((permission) => !may(policy, subject, permission, roomScope(room)))
  return missing && lacksPermission(missing)
}

/** Throws unless the user may read the room: an effective member, not banned. */
export function assertReads(
  policy: Policy,
  subject: Subject,
  room: Parameters<typeof isEffectiveMember>[2],
  standing: Standing,
): void {
  if (!isEffectiveMember(policy, subject, room, standing)) throw notAMember(room)
}

/** Whether the user may enter the room without an explicit membership. */
export const opensTo = (policy: Policy, subject: Subject, room: RoomHeader): boolean =>
  isEffectiveMember(policy, subject, room, { member: false, banned: false })

function needed({ inThread, withEcho, withAttachments }: Posting): Permission[] {
  return [
    inThread ? 'message.post-in-thread' : 'message.post',
    ...(withEcho ? (['message.echo', 'message.post'] as const) : []),
    ...(withAttachments ? (['message.attach'] as const) : []),
  ]
}

import { isEffectiveMember, type Subject } from '@parley/permissions'
import type { DirectoryMember } from '@parley/contracts/api'
import { findProfiles } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { inOrderOfIds } from '../../domain/in-order.ts'
import { notAMember } from '../../errors.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import type { RoomRow } from '../../store/rows.ts'
import { getRoomWithStanding } from '../../store/rooms.ts'
import { standingsOf } from '../../store/standings.ts'
import { toDirectoryMember } from '../../view/member.ts'

/**
 * Throws `not_found` for an unknown room and for a direct message of others, `permission_denied` if the viewer is no
 * effective member.
 */
export async function getRoomOfMember(ctx: Context, viewer: Subject, roomId: string): Promise<RoomRow> {
  const { room, standing } = await getRoomWithStanding(ctx.db, viewer.userId, roomId)
  if (!isEffectiveMember(ctx.policy.current(), viewer, toPolicyRoom(room), standing)) throw notAMember()
  return room
}

/** Effective members, in the given order and without duplicates. */
export async function findMembers(ctx: Context, room: RoomRow, userIds: readonly string[]): Promise<DirectoryMember[]> {
  const ids = [...new Set(userIds)]
  const [profiles, standings] = await Promise.all([findProfiles(ctx.accounts, ids), standingsOf(ctx.db, room.id, ids)])
  const policy = ctx.policy.current()
  const members = [...profiles].flatMap(([userId, profile]) => {
    const standing = standings.get(userId)
    if (!standing || profile.user?.deleted !== false) return []
    const belongs = isEffectiveMember(policy, { userId, roleIds: profile.roleIds }, toPolicyRoom(room), standing)
    return belongs ? [toDirectoryMember(profile, policy)] : []
  })
  return inOrderOfIds(ids, members, ({ user }) => user?.id ?? '')
}

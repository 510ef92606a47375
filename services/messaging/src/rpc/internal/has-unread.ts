import { may } from '@parley/permissions'
import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { readRoomsOfUnreadThreads, readUnreadRooms, type UnreadRoom } from '../../store/unread.ts'

export function hasUnread(ctx: Context): MethodImpl<typeof MessagingInternalService.method.hasUnread> {
  return async (subject) => {
    const policy = ctx.policy()
    const reads = ({ roomId, groupId, member }: UnreadRoom) =>
      member || may(policy, subject, 'room.join', { kind: 'room', roomId, groupId })
    const [rooms, ofThreads] = await Promise.all([
      readUnreadRooms(ctx.pool, subject.userId),
      readRoomsOfUnreadThreads(ctx.pool, subject.userId),
    ])
    return { rooms: rooms.some(reads), followedThreads: ofThreads.some(reads) }
  }
}

import { may } from '@parley/auth'
import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { readUnreadRooms } from '../../store/unread.ts'

export function hasUnread(ctx: Context): MethodImpl<typeof MessagingInternalService.method.hasUnread> {
  return async (subject) => {
    const unread = await readUnreadRooms(ctx.pool, subject.userId)
    const policy = ctx.policy()
    const rooms = unread.some(
      ({ roomId, groupId, member }) => member || may(policy, subject, 'room.join', { kind: 'room', roomId, groupId }),
    )
    // Threads have no read markers yet, so nothing in them is known to be unread.
    return { rooms, followedThreads: false }
  }
}

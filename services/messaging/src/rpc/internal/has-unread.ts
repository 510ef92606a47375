import { may } from '@parley/permissions'
import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findUnread } from '../../actions/reading/find-unread.ts'
import type { UnreadRoom } from '../../store/unread.ts'

export function hasUnread(ctx: Context): MethodImpl<typeof MessagingInternalService.method.hasUnread> {
  return async (subject) => {
    const policy = ctx.policy()
    const canRead = ({ roomId, groupId, member }: UnreadRoom) =>
      member || may(policy, subject, 'room.join', { kind: 'room', roomId, groupId })
    const readable = (await findUnread(ctx, subject.userId)).filter(canRead)
    return {
      rooms: readable.some(({ inThread }) => !inThread),
      followedThreads: readable.some(({ inThread }) => inThread),
    }
  }
}

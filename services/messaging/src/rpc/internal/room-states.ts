import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { readRoomStates } from '../../store/unread.ts'

export function roomStates(ctx: Context): MethodImpl<typeof MessagingInternalService.method.roomStates> {
  return async ({ userId, roomIds }) => {
    const states = await readRoomStates(ctx.pool, userId, roomIds)
    return {
      entries: states.map(({ lastMessageAt, ...state }) => ({
        ...state,
        ...(lastMessageAt && { lastMessageAt: timestampFromDate(lastMessageAt) }),
      })),
    }
  }
}

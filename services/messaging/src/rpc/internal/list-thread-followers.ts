import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { listFollowers } from '../../store/follows.ts'

const maxLimit = 1000

export function listThreadFollowers(
  ctx: Context,
): MethodImpl<typeof MessagingInternalService.method.listThreadFollowers> {
  return async ({ roomId, threadRootEventId: rootEventId, after, limit }) => {
    const page = { after, limit: Math.min(limit || maxLimit, maxLimit) }
    return { userIds: await listFollowers(ctx.pool, { roomId, rootEventId }, page) }
  }
}

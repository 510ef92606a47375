import type { MethodImpl } from '@connectrpc/connect'
import type { ThreadService } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import { followedThreads } from '../../actions/reading/followed-threads.ts'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { pageOf, shownOf } from '../../domain/page.ts'
import { cursorInvalid } from '../../errors.ts'
import { viewingAs } from '../../actions/room-log/viewing.ts'
import type { FollowedKey } from '../../store/followed-threads.ts'
import { toFollowedThread } from '../../view/followed-thread.ts'
import { usersShown } from '../../view/timeline.ts'

const limits = { defaultLimit: 20, maxLimit: 100 }

export function listFollowedThreads(ctx: Context): MethodImpl<typeof ThreadService.method.listFollowedThreads> {
  return async (request, call) => {
    const caller = callerOf(call)
    const { limit, wanted, offset, cursor } = pageOf(request.page, limits)
    const after = cursor === '' ? undefined : keyOf(cursor)
    const { total, threads } = await followedThreads(ctx, caller, { limit: wanted, offset, after })
    const { shown, page } = shownOf(threads, { limit, total, cursorOf, bytesOf: ({ root }) => root.bytes })
    const users = await ctx.profiles.get(usersShown(shown.map(({ root }) => root)))
    return {
      threads: shown.map((thread) => toFollowedThread(viewingAs(ctx, caller, thread.room.roomId), thread)),
      includes: { users: Object.fromEntries(users) },
      page,
    }
  }
}

const cursorOf = ({ key }: { key: FollowedKey }): string => encodeCursor([key.lastReplyMs, key.roomId, key.rootEventId])

function keyOf(cursor: string): FollowedKey {
  const [ms = '', roomId = '', rootEventId = '', ...rest] = decodeCursor(cursor)
  if (!/^(-1|\d{1,18})$/.test(ms) || !looksLikeId(roomId) || !looksLikeId(rootEventId) || rest.length > 0)
    throw cursorInvalid()
  return { lastReplyMs: BigInt(ms), roomId, rootEventId }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { ThreadService } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import { listFollowedThreads as listThreads } from '../../actions/reading/list-followed-threads.ts'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { readPageRequest, cutPage } from '../../domain/page.ts'
import { cursorInvalid } from '../../errors.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import type { FollowedKey } from '../../store/followed-threads.ts'
import { toFollowedThread } from '../../view/followed-thread.ts'
import { shownUserIds } from '../../view/timeline.ts'

const limits = { defaultLimit: 20, maxLimit: 100 }

export function listFollowedThreads(ctx: Context): MethodImpl<typeof ThreadService.method.listFollowedThreads> {
  return async (request, call) => {
    const caller = callerOf(call)
    const { limit, rowsToRead, offset, cursor } = readPageRequest(request.page, limits)
    const after = cursor === '' ? undefined : keyOf(cursor)
    const { total, threads } = await listThreads(ctx, caller, { limit: rowsToRead, offset, after })
    const { shown, page } = cutPage(threads, { limit, total, cursorOf, bytesOf: ({ root }) => root.bytes })
    const users = await ctx.profiles.get(shownUserIds(shown.map(({ root }) => root)))
    return {
      threads: shown.map((thread) => toFollowedThread(viewContextOf(ctx, caller, thread.room.roomId), thread)),
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

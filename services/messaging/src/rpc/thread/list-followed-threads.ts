import type { MethodImpl } from '@connectrpc/connect'
import { isEffectiveMember } from '@parley/permissions'
import type { ThreadService } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { pageOf, shownOf } from '../../domain/page.ts'
import { cursorInvalid } from '../../errors.ts'
import { viewingAs } from '../../actions/room-log/viewing.ts'
import { findRoomsOfFollowed, listFollowed, type FollowedKey } from '../../store/followed-threads.ts'
import { toFollowedThread } from '../../view/followed-thread.ts'
import { usersShown } from '../../view/timeline.ts'

const limits = { defaultLimit: 20, maxLimit: 100 }

export function listFollowedThreads(ctx: Context): MethodImpl<typeof ThreadService.method.listFollowedThreads> {
  return async (request, call) => {
    const caller = callerOf(call)
    const { limit, wanted, offset, cursor } = pageOf(request.page, limits)
    const after = cursor === '' ? undefined : keyOf(cursor)
    const rooms = await findRoomsOfFollowed(ctx.pool, caller.userId)
    const policy = ctx.policy()
    const readable = rooms.filter(({ room, standing }) => isEffectiveMember(policy, caller, room, standing))
    const roomIds = readable.map(({ room }) => room.roomId)
    const { total, threads } = await ctx.reads.run(
      () => listFollowed(ctx.pool, caller.userId, roomIds, { limit: wanted, offset, after }),
      caller.userId,
    )
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

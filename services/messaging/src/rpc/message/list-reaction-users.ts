import type { MethodImpl } from '@connectrpc/connect'
import type { MessageService } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { assertEmoji } from '../../domain/emoji.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { readPageRequest, cutPage } from '../../domain/page.ts'
import { cursorInvalid, messageNotFound, roomNotFound } from '../../errors.ts'
import { assertMayRead } from '../../policy/room-access.ts'
import { listReactionUsers as listUsers, type ReactionKey } from '../../store/reaction-users.ts'

const limits = { defaultLimit: 50, maxLimit: 100 }

export function listReactionUsers(ctx: Context): MethodImpl<typeof MessageService.method.listReactionUsers> {
  return async ({ roomId, messageEventId, emoji, page: request }, call) => {
    assertEmoji(emoji)
    const caller = callerOf(call)
    const { limit, rowsToRead, offset, cursor } = readPageRequest(request, limits)
    const after = cursor === '' ? undefined : keyOf(cursor)
    const eventId = looksLikeId(messageEventId) ? messageEventId : ''
    const query = { roomId, userId: caller.userId, eventId, emoji }
    const found = looksLikeId(roomId)
      ? await ctx.reads.run(() => listUsers(ctx.pool, query, { limit: rowsToRead, offset, after }), caller.userId)
      : undefined
    if (!found) throw roomNotFound()
    assertMayRead(ctx.policy(), caller, found.access.room, found.access.standing)
    if (!found.isShownMessage) throw messageNotFound()
    const { shown, page } = cutPage(found.users, { limit, total: found.total, cursorOf })
    const userIds = shown.map(({ userId }) => userId)
    const users = await ctx.profiles.get(userIds)
    return { userIds, includes: { users: Object.fromEntries(users) }, page }
  }
}

const cursorOf = ({ at, userId }: ReactionKey): string => encodeCursor([at.getTime(), userId])

function keyOf(cursor: string): ReactionKey {
  const [ms = '', userId = '', ...rest] = decodeCursor(cursor)
  if (!/^\d{1,15}$/.test(ms) || !looksLikeId(userId) || rest.length > 0) throw cursorInvalid()
  return { at: new Date(Number(ms)), userId }
}

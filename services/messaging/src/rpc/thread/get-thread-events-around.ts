import type { MethodImpl } from '@connectrpc/connect'
import type { ThreadService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { encodeCursor } from '../../domain/cursor.ts'
import type { EventRow } from '../../domain/event-row.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { clampLimit, windowAround, windowAt, type Window } from '../../domain/window.ts'
import { eventNotInThread } from '../../errors.ts'
import { readThread } from '../../actions/room-log/read.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import { readReplies, readThreadAround } from '../../store/thread-events.ts'
import { toPage, shownUserIds } from '../../view/timeline.ts'

const afterRoot = { after: 0n }

export function getThreadEventsAround(ctx: Context): MethodImpl<typeof ThreadService.method.getThreadEventsAround> {
  return async ({ roomId, threadRootEventId, eventId, limit }, call) => {
    const caller = callerOf(call)
    const count = clampLimit(limit)
    const anchorId = looksLikeId(eventId) ? eventId : ''
    const atRoot = anchorId === threadRootEventId
    const thread = { roomId, rootEventId: threadRootEventId }
    const { root, replies } = await readThread(ctx, caller, thread, (reader, rootEventId) =>
      atRoot
        ? readReplies(ctx.pool, reader, rootEventId, afterRoot, count + 1)
        : readThreadAround(ctx.pool, reader, rootEventId, anchorId, count),
    )
    const { target, ...window } = atRoot ? windowFromRoot(count, replies) : windowAroundReply(count, replies, anchorId)
    const users = await ctx.profiles.get(shownUserIds([root, ...window.rows]))
    return {
      page: toPage(viewContextOf(ctx, caller, roomId), window, users, { root, requestCursor: encodeCursor(root.seq) }),
      targetIndex: target,
    }
  }
}

type WindowWithTarget = Window<EventRow> & { target: number }

const windowFromRoot = (count: number, replies: EventRow[]): WindowWithTarget => ({
  ...windowAt(count, afterRoot, replies),
  hasOlder: false,
  target: 0,
})

function windowAroundReply(count: number, replies: EventRow[], anchorId: string): WindowWithTarget {
  const anchor = replies.findIndex((row) => row.eventId === anchorId)
  if (anchor < 0) throw eventNotInThread()
  const window = windowAround(count, replies.slice(0, anchor), replies.slice(anchor))
  return { ...window, target: window.target + 1 }
}

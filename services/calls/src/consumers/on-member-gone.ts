import type { EventHandler } from '@parley/events'
import { changeLocked, leaveCall } from '../calls/change-call.ts'
import type { Context } from '../context.ts'
import { lockActiveCall } from '../store/calls.ts'

/** Somebody left a room, was removed from it or banned: they are out of its call at once. */
export const onMemberGone =
  (ctx: Context): EventHandler =>
  async ({ aggregateId: roomId, fact }, tx) => {
    const change = fact.case === 'roomFact' ? fact.value.fact?.fact : undefined
    if (change?.case !== 'left' && change?.case !== 'banned') return
    const { userId } = change.value
    const row = await lockActiveCall(tx, roomId)
    if (row) await changeLocked(ctx, tx, row, { source: 'user', userIds: [userId] }, (call) => leaveCall(call, userId))
  }

import type { EventPreparation } from '@parley/events'
import type { Context } from '../context.ts'
import { changeLockedCall, leaveCall } from '../actions/calls/change-call.ts'
import { findActiveCall, lockCall } from '../store/calls.ts'
import { findPresent } from '../store/participants.ts'

/** Removes from a room's call the people who were members only because the room was universal. */
export const onRoomNoLongerUniversal =
  (ctx: Context): EventPreparation =>
  async ({ aggregateId: roomId, fact }) => {
    const change = fact.case === 'roomFact' ? fact.value.fact?.fact : undefined
    if (change?.case !== 'universal' || change.value.universal) return undefined
    const active = await findActiveCall(ctx.db, roomId)
    if (!active) return undefined
    const userIds = (await findPresent(ctx.db, [active.id])).map(({ userId }) => userId)
    const members = await ctx.rooms.findMembers(roomId, userIds)
    const gone = userIds.filter((userId) => !members.has(userId))
    return async (tx) => {
      const row = gone.length > 0 ? await lockCall(tx, active.id) : undefined
      if (!row || row.endedAt !== null) return
      await changeLockedCall(ctx, tx, row, { source: 'user', userIds: gone }, (call) => {
        for (const userId of gone) if (call.row.endedAt === null) leaveCall(call, userId)
      })
    }
  }

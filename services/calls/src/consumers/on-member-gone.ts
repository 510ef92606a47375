import type { EventPreparation } from '@parley/events'
import { changeLockedCall, leaveCall } from '../actions/calls/change-call.ts'
import type { Context } from '../context.ts'
import { lockActiveCall } from '../store/calls.ts'

/** Handles removals and bans too. */
export const onMemberGone =
  (ctx: Context): EventPreparation =>
  async ({ aggregateId: roomId, fact }) => {
    const change = fact.case === 'roomFact' ? fact.value.fact?.fact : undefined
    if (change?.case !== 'left' && change?.case !== 'banned') return undefined
    const { userId } = change.value
    if (await isMemberAgain(ctx, roomId, userId)) return undefined
    return async (tx) => {
      const row = await lockActiveCall(tx, roomId)
      if (!row) return
      await changeLockedCall(ctx, tx, row, { source: 'user', userIds: [userId] }, (call) => leaveCall(call, userId))
    }
  }

/**
 * The event may be late, and the user may have rejoined since. If the request to the service `rooms` fails, the user
 * leaves the call.
 */
const isMemberAgain = ({ rooms }: Context, roomId: string, userId: string): Promise<boolean> =>
  rooms.findMembers(roomId, [userId]).then(
    (members) => members.has(userId),
    () => false,
  )

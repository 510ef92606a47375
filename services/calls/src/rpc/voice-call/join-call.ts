import { create } from '@bufbuild/protobuf'
import { Code, ConnectError, type MethodImpl } from '@connectrpc/connect'
import { JoinCallResponseSchema, VoiceCallService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { answerOnce } from '@parley/service'
import { changeCall, leaveCall } from '../../actions/calls/change-call.ts'
import { startOrJoinCall } from '../../actions/calls/join-call.ts'
import type { Context } from '../../context.ts'

const method = VoiceCallService.method.joinCall

export function joinCall(ctx: Context): MethodImpl<typeof method> {
  return (request, call) =>
    answerOnce(
      ctx.db,
      { method, request, call },
      {
        async run(key) {
          const caller = callerOf(call)
          const room = await ctx.rooms.assertMember(caller, request.roomId)
          const joined = ctx.media !== undefined
          const answer = create(JoinCallResponseSchema, { joined })
          const callId = await ctx.db.transaction(async (tx) => {
            await key.store(tx, answer)
            return joined ? await startOrJoinCall(ctx, tx, room, caller.userId) : undefined
          })
          if (callId === undefined) return answer
          try {
            await assertStillMember(ctx, caller, room.roomId, callId)
          } catch (error) {
            await key.release()
            throw error
          }
          return answer
        },
      },
    )
}

/** If the user was banned after the first check, the event of the ban may have found no participant to remove. */
async function assertStillMember(
  ctx: Context,
  caller: ReturnType<typeof callerOf>,
  roomId: string,
  callId: string,
): Promise<void> {
  try {
    await ctx.rooms.assertMember(caller, roomId)
  } catch (error) {
    // If the service `rooms` is unavailable now, the periodic comparison removes the user later.
    if (ConnectError.from(error).code === Code.Unavailable) return
    const about = { source: 'user', userIds: [caller.userId] } as const
    await changeCall(ctx, callId, about, (active) => leaveCall(active, caller.userId))
    throw error
  }
}

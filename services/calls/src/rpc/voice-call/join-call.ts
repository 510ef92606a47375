import { createHash } from 'node:crypto'
import { toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, type HandlerContext, type MethodImpl } from '@connectrpc/connect'
import { JoinCallRequestSchema, type JoinCallRequest, type VoiceCallService } from '@parley/contracts/api'
import { callerOf, idempotencyKeyOf } from '@parley/rpc'
import { changeCall, leaveCall } from '../../actions/calls/change-call.ts'
import { joinCallIn } from '../../actions/calls/join-call.ts'
import type { Context } from '../../context.ts'
import { keyReused } from '../../errors.ts'
import { findCallKey, forgetCallKey, storeCallKey } from '../../store/call-keys.ts'

export function joinCall(ctx: Context): MethodImpl<typeof VoiceCallService.method.joinCall> {
  return async (request, call) => {
    const caller = callerOf(call)
    const keyed = keyOf(request, call, caller.userId)
    const before = keyed && (await findAnswer(ctx, keyed, call))
    if (before) return before
    const room = await ctx.rooms.assertMember(caller, request.roomId)
    const joined = ctx.media !== undefined
    const done = await ctx.db.transaction(async (tx) => {
      if (keyed && !(await storeCallKey(tx, { ...keyed, joined }, ctx.now()))) return undefined
      return { callId: joined ? await joinCallIn(ctx, tx, room, caller.userId) : undefined }
    })
    if (!done) return (keyed && (await findAnswer(ctx, keyed, call))) ?? { joined }
    const { callId } = done
    if (callId === undefined) return { joined }
    try {
      await assertStillMember(ctx, caller, room.roomId, callId)
    } catch (error) {
      if (keyed) await forgetCallKey(ctx.db, keyed)
      throw error
    }
    return { joined: true }
  }
}

type Keyed = NonNullable<ReturnType<typeof keyOf>>

function keyOf(request: JoinCallRequest, call: HandlerContext, callerId: string) {
  const key = idempotencyKeyOf(call)
  if (key === undefined) return undefined
  return { callerId, key, digest: createHash('sha256').update(toBinary(JoinCallRequestSchema, request)).digest() }
}

/** What was answered under the key is the answer, whatever would stand against it now. */
async function findAnswer(ctx: Context, { callerId, key, digest }: Keyed, call: HandlerContext) {
  const known = await findCallKey(ctx.db, callerId, key)
  if (!known) return undefined
  if (!digest.equals(known.digest)) throw keyReused()
  call.responseHeader.set('Idempotency-Replayed', 'true')
  return { joined: known.joined }
}

/** A ban between the question and the joining was announced before there was anybody to remove. */
async function assertStillMember(
  ctx: Context,
  caller: ReturnType<typeof callerOf>,
  roomId: string,
  callId: string,
): Promise<void> {
  try {
    await ctx.rooms.assertMember(caller, roomId)
  } catch (error) {
    // Whoever cannot be asked now will be: everybody in a call is looked at again and again.
    if (ConnectError.from(error).code === Code.Unavailable) return
    const about = { source: 'user', userIds: [caller.userId] } as const
    await changeCall(ctx, callId, about, (left) => leaveCall(left, caller.userId))
    throw error
  }
}

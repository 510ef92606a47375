import { createHash } from 'node:crypto'
import { toBinary, type DescMessage, type DescMethodUnary, type MessageShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { methodPath } from '@parley/contracts/catalogue'
import type { Tx } from '@parley/postgres'
import { callerOf, idempotencyKeyOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { keyInUse, keyOfAnotherRequest } from '../../errors.ts'
import { countReplay } from '../../metrics.ts'
import { findAnswer, storeAnswer, type AnsweredCall } from '../../store/idempotent-calls.ts'
import type { RoomRow } from '../../store/rows.ts'
import { getRoomSeen } from '../../store/seen-rooms.ts'

/** Stores the answer under the call's key, first thing in the transaction that earns it. */
export type Keep<O> = (tx: Tx, answer: O, fact: { roomId: string; version: bigint }) => Promise<void>

/** A method that answers a room, and how it shows one. */
export type RoomMethod<I extends DescMessage, O extends DescMessage> = {
  method: DescMethodUnary<I, O>
  show: (room: RoomRow) => MessageShape<O>
}

/**
 * Answers a call that may be repeated under an idempotency key: the first one runs, every other one is answered the same room
 * as it is now, on any process, as soon as what the first one did is in effect. Without a key it just runs. Failures are
 * not kept.
 */
export async function answerOnce<I extends DescMessage, O extends DescMessage>(
  ctx: Context,
  call: HandlerContext,
  { method, show }: RoomMethod<I, O>,
  request: MessageShape<I>,
  run: (keep: Keep<MessageShape<O>>) => Promise<MessageShape<O>>,
): Promise<MessageShape<O>> {
  const key = idempotencyKeyOf(call)
  if (key === undefined) return await run(() => Promise.resolve())

  const keyed = { callerId: callerOf(call).userId, method: methodPath(method), key }
  const requestDigest = createHash('sha256').update(toBinary(method.input, request)).digest()
  const replay = async (answered: AnsweredCall) => {
    if (!requestDigest.equals(answered.requestDigest)) throw keyOfAnotherRequest()
    await ctx.delivery.settle(answered.roomId, answered.version, call)
    const { room } = await getRoomSeen(ctx.db, keyed.callerId, answered.roomId)
    call.responseHeader.set('Idempotency-Replayed', 'true')
    countReplay(method.name)
    return show(room)
  }

  const before = await findAnswer(ctx.db, keyed)
  if (before) return await replay(before)
  let kept = false
  try {
    return await run(async (tx, answer, fact) => {
      // Processes of the release before repeat what is stored.
      const response = toBinary(method.output, answer)
      if (!(await storeAnswer(tx, { ...keyed, requestDigest, response, ...fact }))) throw keyInUse()
      kept = true
    })
  } catch (error) {
    // Another process may have answered meanwhile, and made what this attempt stumbled over.
    const meanwhile = kept ? undefined : await findAnswer(ctx.db, keyed)
    if (meanwhile) return await replay(meanwhile)
    throw error
  }
}

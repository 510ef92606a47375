import { createHash } from 'node:crypto'
import { fromBinary, toBinary, type DescMessage, type DescMethodUnary, type MessageShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { methodPath } from '@parley/contracts/catalogue'
import type { Tx } from '@parley/postgres'
import { callerOf, idempotencyKeyOf } from '@parley/rpc'
import type { Context } from '../context.ts'
import { keyInUse, keyOfAnotherRequest } from '../errors.ts'
import { countReplay } from '../metrics.ts'
import { findAnswer, storeAnswer, type AnsweredCall } from '../store/idempotent-calls.ts'

/** Stores the answer under the call's key, first thing in the transaction that earns it. */
export type Keep<O> = (tx: Tx, answer: O, fact: { roomId: string; version: bigint }) => Promise<void>

/**
 * Answers a call that may be repeated under an idempotency key: the first one runs, every other one gets the same answer,
 * on any process, as soon as what it did is in effect. Without a key it just runs. Failures are not kept.
 */
export async function answerOnce<I extends DescMessage, O extends DescMessage>(
  ctx: Context,
  call: HandlerContext,
  method: DescMethodUnary<I, O>,
  request: MessageShape<I>,
  run: (keep: Keep<MessageShape<O>>) => Promise<MessageShape<O>>,
): Promise<MessageShape<O>> {
  const key = idempotencyKeyOf(call)
  if (key === undefined) return await run(() => Promise.resolve())

  const keyed = { callerId: callerOf(call).userId, method: methodPath(method), key }
  const requestDigest = createHash('sha256').update(toBinary(method.input, request)).digest()
  const replay = async (answered: AnsweredCall) => {
    if (!requestDigest.equals(answered.requestDigest)) throw keyOfAnotherRequest()
    await ctx.line.settle(answered.roomId, answered.version, call)
    call.responseHeader.set('Idempotency-Replayed', 'true')
    countReplay(method.name)
    return fromBinary(method.output, answered.response)
  }

  const before = await findAnswer(ctx.db, keyed)
  if (before) return await replay(before)
  let kept = false
  try {
    return await run(async (tx, answer, fact) => {
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

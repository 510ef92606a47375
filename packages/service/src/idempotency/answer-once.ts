import { createHash } from 'node:crypto'
import { fromBinary, type DescMessage, type DescMethodUnary, type MessageShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { methodPath } from '@parley/contracts/catalogue'
import type { Db, Tx } from '@parley/postgres'
import { encode } from '@parley/protobuf'
import { callerOf, idempotencyKeyOf } from '@parley/rpc'
import { countReplay } from '../metrics.ts'
import { findAnswer, forgetAnswer, storeAnswer } from './store.ts'

const keyReused = () => new ConnectError('Idempotency-Key: already used for another request', Code.InvalidArgument)
const keyInUse = () =>
  new ConnectError(
    'another call with this Idempotency-Key has just ended without a response; try again',
    Code.Unavailable,
  )

/** Both functions do nothing if the call has no idempotency key. */
export type CallKey<O> = {
  /**
   * Stores the response; call it first in the transaction that produces it. Throws if another call has taken the key;
   * `answerOnce` handles this error.
   */
  store(tx: Tx, answer: O): Promise<void>
  /** To be called after the transaction if the call is refused in the end, so that its key can be used again. */
  release(): Promise<void>
}

export type KeyedHandling<O> = {
  run: (key: CallKey<O>) => Promise<O>
  /** Answers a repeated call. Default: with the stored response. */
  repeat?: (answer: O) => Promise<O>
}

/**
 * Handles a call that may be repeated under an idempotency key for 24 hours. The first call runs; later ones, on any
 * process, are answered by `repeat`, even if the call could not run now. Without a key the call just runs. Failures are
 * not stored. Throws `invalid_argument` when the key was used for a different request, and `unavailable` when another
 * call has just used it without leaving a response.
 */
export async function answerOnce<I extends DescMessage, O extends DescMessage>(
  db: Db,
  { method, request, call }: { method: DescMethodUnary<I, O>; request: MessageShape<I>; call: HandlerContext },
  { run, repeat = (answer) => Promise.resolve(answer) }: KeyedHandling<MessageShape<O>>,
): Promise<MessageShape<O>> {
  const key = idempotencyKeyOf(call)
  if (key === undefined) return await run({ store: () => Promise.resolve(), release: () => Promise.resolve() })

  const keyed = { callerId: callerOf(call).userId, method: methodPath(method), key }
  const requestDigest = createHash('sha256').update(encode(method.input, request)).digest()
  const findRepeated = async (): Promise<MessageShape<O> | undefined> => {
    const known = await findAnswer(db, keyed)
    if (!known) return undefined
    if (!requestDigest.equals(known.requestDigest)) throw keyReused()
    const answer = await repeat(fromBinary(method.output, known.response))
    call.responseHeader.set('Idempotency-Replayed', 'true')
    countReplay(method)
    return answer
  }

  const before = await findRepeated()
  if (before) return before
  let isStored = false
  try {
    return await run({
      async store(tx, answer) {
        if (!(await storeAnswer(tx, { ...keyed, requestDigest, response: encode(method.output, answer) })))
          throw keyInUse()
        isStored = true
      },
      release: () => forgetAnswer(db, keyed),
    })
  } catch (error) {
    // Another call may have stored a response in the meantime, and thereby caused this one to fail.
    const meanwhile = isStored ? undefined : await findRepeated()
    if (meanwhile) return meanwhile
    throw error
  }
}

import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { forgetAnswers } from '../store/idempotent-calls.ts'

/** Answers under idempotency keys are kept for a day. */
export function forgetOldAnswers(ctx: Context, signal: AbortSignal): AsyncDisposable {
  const run = () => forgetAnswers(ctx.db)
  return periodically({ name: 'forget idempotent answers', everyMs: 600_000, signal, run })
}

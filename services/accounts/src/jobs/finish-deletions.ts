import type { Context } from '../context.ts'
import { nextStep } from '../actions/deletion/passes.ts'
import { logDeletionCompleted, logDeletionStepFailure } from '../metrics.ts'
import {
  requestPass,
  completeDeletion,
  findReports,
  lockDeletion,
  listOpenDeletions,
  type OpenDeletion,
} from '../store/deletions.ts'

const batchSize = 100
const pauseMs = 1_000

/**
 * Each run handles one batch and continues after the last deletion of the previous run, so that stuck deletions do not
 * block others.
 */
export function deletionFinisher(ctx: Context): (signal: AbortSignal) => Promise<number | void> {
  let after: OpenDeletion | undefined
  return async (signal) => {
    const open = await listOpenDeletions(ctx.db, after, batchSize)
    after = open.length < batchSize ? undefined : open.at(-1)
    for (const { userId } of open) {
      signal.throwIfAborted()
      await advanceDeletion(ctx, userId).catch((error: unknown) => logDeletionStepFailure(userId, error))
    }
    if (open.length > 0) return pauseMs
  }
}

async function advanceDeletion(ctx: Context, userId: string): Promise<void> {
  const now = ctx.now()
  const { completed, entries } = await ctx.db.transaction(async (tx) => {
    const deletion = await lockDeletion(tx, userId)
    if (!deletion) return { completed: false, entries: [] }
    const found = await findReports(tx, userId, deletion.pass)
    const step = nextStep({ ...deletion, found }, now, ctx.config.erasurePassAfterMs)
    if (step === 'wait') return { completed: false, entries: [] }
    if (step !== 'complete') return { completed: false, entries: await requestPass(tx, userId, step.request, now) }
    await completeDeletion(tx, userId, now)
    return { completed: true, entries: [] }
  })
  ctx.relay.wake(entries)
  if (completed) logDeletionCompleted(userId)
}

import type { Context } from '../context.ts'
import { nextStep } from '../deletion/passes.ts'
import { deletionCompleted } from '../metrics.ts'
import { askForPass, completeDeletion, foundInPass, lockDeletion, openDeletions } from '../store/deletions.ts'

const atOnce = 100

/** Asks services for pass after pass until nobody has anything left of the deleted accounts. */
export async function finishDeletions(ctx: Context, signal: AbortSignal): Promise<void> {
  for (const userId of await openDeletions(ctx.db, atOnce)) {
    signal.throwIfAborted()
    await goOn(ctx, userId)
  }
}

async function goOn(ctx: Context, userId: string): Promise<void> {
  const now = ctx.now()
  const { completed, entries } = await ctx.db.transaction(async (tx) => {
    const deletion = await lockDeletion(tx, userId)
    if (!deletion) return { completed: false, entries: [] }
    const found = await foundInPass(tx, userId, deletion.pass)
    const step = nextStep({ ...deletion, found }, now, ctx.config.erasurePassAfterMs)
    if (step === 'wait') return { completed: false, entries: [] }
    if (step !== 'complete') return { completed: false, entries: await askForPass(tx, userId, step.ask, now) }
    await completeDeletion(tx, userId, now)
    return { completed: true, entries: [] }
  })
  ctx.relay.wake(entries)
  if (completed) deletionCompleted(userId)
}

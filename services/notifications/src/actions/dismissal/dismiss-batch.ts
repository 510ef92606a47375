import type { Tx } from '@parley/postgres'
import type { Dismissal } from '../../domain/work.ts'
import { allShards, shardsOf } from '../../domain/shards.ts'
import { dismiss, idsToDismiss } from '../../store/dismissals.ts'
import { insertJobs } from '../../store/jobs.ts'
import { announceDismissed } from './announce-dismissed.ts'

/**
 * `more`: whether there may be other notifications to dismiss. The caller must have locked the users' shards with
 * `lockShards`.
 */
export async function dismissBatch(tx: Tx, dismissals: readonly Dismissal[], at: Date) {
  if (dismissals.length === 0) return { entries: [], more: false }
  const { dismissed, more } = await dismiss(tx, idsToDismiss(dismissals), at)
  return { entries: await announceDismissed(tx, dismissed, at), more }
}

export async function dismissBatchAndQueueRest(tx: Tx, dismissals: readonly Dismissal[], at: Date): Promise<bigint[]> {
  const { entries, more } = await dismissBatch(tx, dismissals, at)
  if (more) await insertJobs(tx, dismissals)
  return entries
}

export const shardsOfDismissals = (dismissals: readonly Dismissal[]): readonly number[] => {
  const users = dismissals.flatMap((dismissal) => (dismissal.of === 'place' ? [dismissal.userId] : []))
  return users.length < dismissals.length ? allShards : shardsOf(users)
}

import type { Tx } from '@parley/postgres'
import type { Dismissal } from '../domain/many.ts'
import { allShards, shardsOf } from '../domain/shards.ts'
import { dismiss, thoseOf } from '../store/dismissals.ts'
import { insertJob } from '../store/jobs.ts'
import { holdShards } from '../store/shards.ts'
import { tellDismissed } from './tell-dismissed.ts'

/** Dismisses a part of what is to be dismissed, of users whose shards are held; `more` when that was not everything. */
export async function dismissSome(tx: Tx, dismissal: Dismissal, at: Date) {
  const { dismissed, more } = await dismiss(tx, thoseOf(dismissal), at)
  return { entries: await tellDismissed(tx, dismissed, at), more }
}

/** The same, with the rest left to a job. */
export async function dismissSoon(tx: Tx, dismissal: Dismissal, at: Date): Promise<bigint[]> {
  const { entries, more } = await dismissSome(tx, dismissal, at)
  if (more) await insertJob(tx, dismissal, at)
  return entries
}

/** Holds the shards of all whose notifications may be dismissed. */
export const holdShardsOf = (tx: Tx, dismissal: Dismissal): Promise<void> =>
  holdShards(tx, dismissal.of === 'place' ? shardsOf([dismissal.userId]) : allShards)

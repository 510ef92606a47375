import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { releaseMarkedNames } from '../actions/roles/role-names.ts'
import { markOlderForRelease } from '../store/pending-role-names.ts'

const everyMs = 30_000
/** Longer than any call takes. */
const reservationMs = 120_000

/** Releases names reserved for roles that were never created, and names of deleted roles that are still reserved. */
export function releaseUnusedRoleNames(ctx: Context, signal: AbortSignal): AsyncDisposable {
  const run = async () => {
    await markOlderForRelease(ctx.db, new Date(ctx.now().getTime() - reservationMs))
    await releaseMarkedNames(ctx)
  }
  return periodically({ name: 'release names of roles', everyMs, signal, run })
}

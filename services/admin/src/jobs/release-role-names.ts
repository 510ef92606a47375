import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { releaseRoleNames } from '../actions/roles/role-names.ts'
import { giveUpOlder } from '../store/pending-role-names.ts'

const everyMs = 30_000
/** Longer than any call takes. */
const givenUpAfterMs = 120_000

/** Releases names reserved for roles that were never created, and names of deleted roles that accounts still holds. */
export function releaseNamesOfNoRole(ctx: Context, signal: AbortSignal): AsyncDisposable {
  const run = async () => {
    await giveUpOlder(ctx.db, new Date(ctx.now().getTime() - givenUpAfterMs))
    await releaseRoleNames(ctx)
  }
  return periodically({ name: 'release names of roles', everyMs, signal, run })
}

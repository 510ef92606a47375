import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { releaseRoleNames } from '../actions/roles/role-names.ts'
import { giveUpOlder } from '../store/pending-role-names.ts'

const everyMs = 30_000
/** Longer than any call lives. */
const givenUpAfterMs = 120_000

/** Gives back names that were taken for roles that never came to be, and those of deleted roles that accounts still keeps. */
export function releaseNamesOfNoRole(ctx: Context, signal: AbortSignal): AsyncDisposable {
  const run = async () => {
    await giveUpOlder(ctx.db, new Date(ctx.now().getTime() - givenUpAfterMs))
    await releaseRoleNames(ctx)
  }
  return periodically({ name: 'release names of roles', everyMs, signal, run })
}

import { readNewestEvent } from '@parley/events'
import { periodically } from '@parley/runtime'
import { changePolicy } from '../actions/roles/change-policy.ts'
import type { Context } from '../context.ts'
import { reportLostPolicy } from '../metrics.ts'
import { getRevision } from '../store/policy.ts'

const everyMs = 60_000
const afterFailureMs = 1_000

/**
 * After a restore of this database, other services have a newer policy. This job announces a revision above theirs, so
 * that they load the current policy.
 */
export const replaceLostPolicy = (ctx: Context, signal: AbortSignal): AsyncDisposable =>
  periodically({ name: 'replace a lost policy', everyMs, afterFailureMs, signal, run: () => replaceIfLost(ctx) })

async function replaceIfLost(ctx: Context): Promise<void> {
  const newest = await readNewestEvent(ctx.bus, 'evt.control.policy.server.policy_changed')
  const newestElsewhere = newest && newest.version > ctx.policy.highest() ? newest.version : ctx.policy.highest()
  if (newestElsewhere <= (await getRevision(ctx.db))) return
  const { revision } = await changePolicy(
    ctx,
    '',
    async () => ({ change: undefined, answer: undefined }),
    newestElsewhere,
  )
  reportLostPolicy(newestElsewhere, revision)
}

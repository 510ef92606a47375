import type { Policy } from '@parley/permissions'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { countPolicyChange } from '../../metrics.ts'
import * as store from '../../store/policy-changes.ts'
import { getPolicyAt } from './current-policy.ts'

/**
 * Changes the policy. `decide` gets the current policy, which is locked. Resolves when the change is on the stream,
 * even if an earlier call made it.
 */
export async function changePolicy<T>(
  ctx: Context,
  actorId: string,
  decide: (tx: Tx, policy: Policy) => Promise<store.PolicyChangeResult<T>>,
  above = ctx.policy.highest(),
): Promise<{ answer: T; revision: bigint }> {
  const done = await store.changePolicy(ctx.db, { actorId, at: ctx.now(), above }, async (tx, revision) =>
    decide(tx, await getPolicyAt(ctx, tx, revision)),
  )
  if (done.changed) countPolicyChange(done.revision)
  ctx.relay.wake(done.auditEntries)
  await ctx.relay.stored(done.unpublished)
  return done
}

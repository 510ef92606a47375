import type { Policy } from '@parley/permissions'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { countPolicyChange } from '../../metrics.ts'
import * as store from '../../store/policy-changes.ts'
import { getPolicyAt } from './current-policy.ts'

/**
 * `decide` gets the current policy, which stays locked until the commit. The new revision is higher than
 * `highestKnown`, which after a restore of the database may be above the stored one. Resolves when this change and all
 * earlier ones are on the stream. Rejects with `unavailable` after 4 s, although the change is committed.
 */
export async function changePolicy<T>(
  ctx: Context,
  actorId: string,
  decide: (tx: Tx, policy: Policy) => Promise<store.PolicyChangeResult<T>>,
  highestKnown = ctx.policy.highest(),
): Promise<{ answer: T; revision: bigint }> {
  const committed = await store.changePolicy(ctx.db, { actorId, at: ctx.now(), highestKnown }, async (tx, revision) =>
    decide(tx, await getPolicyAt(ctx, tx, revision)),
  )
  if (committed.revisionRaised) countPolicyChange(committed.revision)
  ctx.relay.wake(committed.auditEntries)
  await ctx.relay.waitUntilStored(committed.unpublished)
  return committed
}

import type { Policy } from '@parley/permissions'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { policyChanged } from '../../metrics.ts'
import * as store from '../../store/policy-changes.ts'
import { policyAt } from './policy-now.ts'

/**
 * Changes the policy. `decide` is handed the policy as it stands, which nobody else can change meanwhile. Resolves when the
 * fleet can hear of the change, and of any that a repeated call finds in place already.
 */
export async function changePolicy<T>(
  ctx: Context,
  actorId: string,
  decide: (tx: Tx, policy: Policy) => Promise<store.Decided<T>>,
  above = ctx.policy.highest(),
): Promise<{ answer: T; revision: bigint }> {
  const done = await store.changePolicy(ctx.db, { actorId, at: ctx.now(), above }, async (tx, revision) =>
    decide(tx, await policyAt(ctx, tx, revision)),
  )
  if (done.changed) policyChanged(done.revision)
  ctx.relay.wake(done.audited)
  await ctx.relay.stored(done.unannounced)
  return done
}

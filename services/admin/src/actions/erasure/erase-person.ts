import type { Context } from '../../context.ts'
import { countPolicyChange } from '../../metrics.ts'
import { changePolicy } from '../../store/policy-changes.ts'
import { clearDecisionsOf } from '../../store/policy.ts'
import { toPolicyDecision } from '../../view/policy.ts'

/**
 * Deletes the permission decisions about the person and returns their number. The audit log is kept, because it
 * identifies people only by their ids.
 */
export const erasePerson =
  (ctx: Pick<Context, 'db' | 'relay' | 'policy' | 'now'>) =>
  async (userId: string): Promise<number> => {
    const { answer, unpublished, revisionRaised, revision } = await changePolicy(
      ctx.db,
      { actorId: '', at: ctx.now(), highestKnown: ctx.policy.highest() },
      async (tx) => {
        const cleared = await clearDecisionsOf(tx, { subjectKind: 'user', subjectId: userId })
        if (cleared.length === 0) return { change: undefined, answer: 0 }
        const decisions = cleared.map((key) => toPolicyDecision(key, 'none'))
        return { change: { delta: { decisions }, events: [] }, answer: cleared.length }
      },
    )
    if (revisionRaised) countPolicyChange(revision)
    ctx.relay.wake(unpublished)
    return answer
  }

import { consumeEvents, type EventPreparation } from '@parley/events'
import type { Context } from '../context.ts'
import { permissionDecided } from '../domain/rbac-events.ts'
import { changePolicy } from '../actions/roles/change-policy.ts'
import { clearDecisionsAt } from '../store/policy.ts'
import { toPolicyDecision } from '../view/policy.ts'

export const clearDecisionsOfDeletedGroups = (ctx: Context): Promise<AsyncDisposable> =>
  consumeEvents({
    ...{ bus: ctx.bus, db: ctx.db, service: 'admin', durable: 'deleted-groups' },
    subject: 'evt.group.*.room_group_deleted',
    beforeTransaction: onGroupDeleted(ctx),
  })

/**
 * Runs before the transaction of the consumer, because the change has a transaction of its own. A repeated event finds
 * nothing to clear.
 */
const onGroupDeleted =
  (ctx: Context): EventPreparation =>
  async ({ aggregateId: groupId, actorId }) => {
    const scope = { kind: 'group', id: groupId } as const
    await changePolicy(ctx, actorId, async (tx, policy) => {
      const cleared = await clearDecisionsAt(tx, scope)
      if (cleared.length === 0) return { change: undefined, answer: undefined }
      const events = cleared.map(({ subjectKind, subjectId, permission }) => {
        const roleName = policy.roles.get(subjectId)?.name ?? subjectId
        const subject = subjectKind === 'role' ? { roleName } : { userId: subjectId }
        return permissionDecided(subject, permission, scope, 'none')
      })
      const decisions = cleared.map((key) => toPolicyDecision(key, 'none'))
      return { change: { delta: { decisions }, events }, answer: undefined }
    })
    return undefined
  }

import { enqueue } from '@parley/events'
import type { Context } from '../../context.ts'
import { rolesChanged } from '../../domain/announcements.ts'
import { removeRole } from '../../store/roles.ts'

const batchSize = 200

/** Works in batches, and can be repeated after a failure. Notifies the sessions of the holders. */
export async function removeRoleFromAll(ctx: Context, roleId: string, actorId: string): Promise<void> {
  for (;;) {
    const { removed, entries } = await ctx.db.transaction(async (tx) => {
      const holders = await removeRole(tx, roleId, batchSize)
      const at = ctx.now()
      const common = { aggregateType: 'user' as const, occurredAt: at, actorId }
      const events = holders.map(({ id, version, roleIds }) => {
        return { ...common, aggregateId: id, version, ...rolesChanged(id, at, roleIds, version) }
      })
      return { removed: holders.length, entries: await enqueue(tx, events) }
    })
    ctx.relay.wake(entries)
    if (removed < batchSize) return
  }
}

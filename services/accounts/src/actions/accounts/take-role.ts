import { enqueue } from '@parley/events'
import type { Context } from '../../context.ts'
import { rolesChanged } from '../../domain/announcements.ts'
import { removeRole } from '../../store/roles.ts'

const atOnce = 200

/** Removes a role from everyone who holds it and notifies their sessions; repeating it continues with the rest. */
export async function takeRoleFromAll(ctx: Context, roleId: string, actorId: string): Promise<void> {
  for (;;) {
    const { taken, entries } = await ctx.db.transaction(async (tx) => {
      const holders = await removeRole(tx, roleId, atOnce)
      const at = ctx.now()
      const common = { aggregateType: 'user' as const, occurredAt: at, actorId }
      const events = holders.map(({ id, version, roleIds }) => {
        return { ...common, aggregateId: id, version, ...rolesChanged(id, at, roleIds, version) }
      })
      return { taken: holders.length, entries: await enqueue(tx, events) }
    })
    ctx.relay.wake(entries)
    if (taken < atOnce) return
  }
}

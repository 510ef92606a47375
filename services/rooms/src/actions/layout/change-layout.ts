import { enqueue } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { toAuditEvent, roomGroupsUpdated, type LayoutAuditEvent } from '../../domain/layout-event.ts'
import type { Cause } from '../../domain/room-fact.ts'
import { type RemainingTime, layoutKey } from '../../engines/delivery/index.ts'
import { nextLayoutVersion } from '../../store/layout.ts'

/** `groupId`: missing if groups are reordered. Without `auditEvents` nothing changed. */
export type LayoutChange<T> = { answer: T; groupId?: string; auditEvents?: LayoutAuditEvent[] }

/**
 * Makes a change of the layout that changes no room. `write` reads under the lock of the layout, so of two concurrent
 * changes the second sees the first.
 */
export async function changeLayout<T>(
  ctx: Context,
  cause: Cause,
  remaining: RemainingTime,
  write: (tx: Tx) => Promise<LayoutChange<T>>,
): Promise<T> {
  const commit = () =>
    ctx.db.transaction(async (tx) => {
      const version = await nextLayoutVersion(tx)
      const { answer, groupId = '', auditEvents = [] } = await write(tx)
      if (auditEvents.length === 0) return { answer, entries: [] }
      const layoutEvent = roomGroupsUpdated(version, { groupId, roomId: '' }, cause)
      return {
        answer,
        entries: await enqueue(tx, [layoutEvent, ...auditEvents.map((event) => toAuditEvent(event, version, cause))]),
      }
    })
  const { answer, entries } = await ctx.writes.run(layoutKey, remaining, commit)
  ctx.relay.wake(entries)
  return answer
}

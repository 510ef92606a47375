import { enqueue } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { noteEvent, roomGroupsUpdated, type LayoutNote } from '../../domain/layout-event.ts'
import type { Cause } from '../../domain/room-fact.ts'
import { type RemainingTime, layoutKey } from '../../engines/delivery/index.ts'
import { nextLayoutVersion } from '../../store/layout.ts'

/** The result of a layout change and its events; undefined when nothing changed. */
export type Arranged<T> = { answer: T; groupId?: string; notes?: LayoutNote[] }

/**
 * Runs a change that concerns no room: lock the layout, decide and write, announce, commit. `decide` reads under the
 * lock, so of two concurrent changes the second sees the first.
 */
export async function changeLayout<T>(
  ctx: Context,
  cause: Cause,
  remaining: RemainingTime,
  write: (tx: Tx) => Promise<Arranged<T>>,
): Promise<T> {
  const commit = () =>
    ctx.db.transaction(async (tx) => {
      const version = await nextLayoutVersion(tx)
      const { answer, groupId = '', notes = [] } = await write(tx)
      if (notes.length === 0) return { answer, entries: [] }
      const layoutEvent = roomGroupsUpdated(version, { groupId, roomId: '' }, cause)
      return {
        answer,
        entries: await enqueue(tx, [layoutEvent, ...notes.map((note) => noteEvent(note, version, cause))]),
      }
    })
  const { answer, entries } = await ctx.writes.run(layoutKey, remaining, commit)
  ctx.relay.wake(entries)
  return answer
}

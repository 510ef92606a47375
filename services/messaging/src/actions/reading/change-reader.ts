import { outgoing, type OutgoingEvent } from '@parley/events'
import type { Context } from '../../context.ts'
import { anyVersion, findHoles } from '../../domain/entry-holes.ts'
import type { ReaderEntry } from '../../store/readers.ts'
import type { Connection } from '../../store/statement.ts'
import type { ReaderChange } from '../../view/reader-events.ts'

/** Changes what one user has read or follows, and announces it if anything changed: `write` is one statement. */
export async function changeReader(
  ctx: Pick<Context, 'pool' | 'now'> & { relay: Pick<Context['relay'], 'wake'> },
  userId: string,
  write: (on: Connection, change: ReaderEntry) => Promise<bigint[]>,
  toEvent: (change: ReaderChange) => OutgoingEvent,
): Promise<void> {
  const entry = outgoing(toEvent({ userId, version: anyVersion.value, at: ctx.now() }))
  const holes = findHoles(entry.payload, anyVersion, 1)
  const entries = await write(ctx.pool, { userId, eventId: entry.eventId, entry: { ...entry, holes } })
  if (entries.length > 0) ctx.relay.wake(entries)
}

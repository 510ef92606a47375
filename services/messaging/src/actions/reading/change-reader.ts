import { toOutboxRow, type OutgoingEvent } from '@parley/events'
import type { Context } from '../../context.ts'
import { versionPlaceholder, findHoles } from '../../domain/entry-holes.ts'
import type { ReaderEntry } from '../../store/readers.ts'
import type { Connection } from '../../store/statement.ts'
import type { ReaderChange } from '../../view/reader-events.ts'

/** `write` makes the change and stores its event in one statement; it returns no entries if nothing changed. */
export async function changeReader(
  ctx: Pick<Context, 'pool' | 'now'> & { relay: Pick<Context['relay'], 'wake'> },
  userId: string,
  write: (on: Connection, change: ReaderEntry) => Promise<bigint[]>,
  toEvent: (change: ReaderChange) => OutgoingEvent,
): Promise<void> {
  const entry = toOutboxRow(toEvent({ userId, version: versionPlaceholder.value, at: ctx.now() }))
  const holes = findHoles(entry.payload, versionPlaceholder, 1)
  const entries = await write(ctx.pool, { userId, eventId: entry.eventId, entry: { ...entry, holes } })
  if (entries.length > 0) ctx.relay.wake(entries)
}

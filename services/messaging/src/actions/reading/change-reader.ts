import type { OutgoingEvent } from '@parley/events'
import type { Context } from '../../context.ts'
import { storeReaderEvent } from '../../store/readers.ts'
import { transaction, type Connection } from '../../store/statement.ts'
import type { ReaderChange } from '../../view/reader-events.ts'

/**
 * Changes what one user has read or follows, and announces it if `write` returns that something changed. The user's
 * version is updated last, because all changes of the user lock its row.
 */
export async function changeReader(
  ctx: Context,
  userId: string,
  write: (on: Connection) => Promise<boolean>,
  toEvent: (change: ReaderChange) => OutgoingEvent,
): Promise<void> {
  const at = ctx.now()
  const entries = await transaction(ctx.pool, async (on) =>
    (await write(on)) ? storeReaderEvent(on, userId, (version) => toEvent({ userId, version, at })) : [],
  )
  ctx.relay.wake(entries)
}

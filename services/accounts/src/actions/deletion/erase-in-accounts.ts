import { countOnStream, removeFromStream } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { personalKinds } from '../../domain/deletion-announcements.ts'
import { eraseBelongings } from '../../store/belongings.ts'
import { getRequestedPass } from '../../store/deletions.ts'
import { countUnrelayed, eraseRelayed } from '../../store/personal-events.ts'

/**
 * Erases remaining rows, and earlier events with personal data. The newest event that a relay or follower knows must
 * stay on the stream, so the first pass removes no events: by the second pass, they all know a newer event. Returns the
 * number of rows and events found, including events that only a later pass can remove.
 */
export const eraseInAccounts =
  ({ db, bus }: { db: Db; bus: Bus }) =>
  async (userId: string, signal: AbortSignal): Promise<number> => {
    const rows = await eraseRows(db, userId, signal)
    const relayed = await eraseRelayed(db, { userId, kinds: personalKinds, signal })
    const entries = relayed + (await countUnrelayed(db, userId, personalKinds))
    // Events on the last subject are published by the service `notifications`, which erases them in its own outbox.
    const subjects = [
      ...personalKinds.map((kind) => `evt.user.${userId}.${kind}`),
      `evt.notification.${userId}.people_called`,
    ]
    const onStream = await countOnStream(bus, subjects)
    if (onStream > 0 && (await getRequestedPass(db, userId)) > 1) await removeFromStream(bus, subjects, signal)
    return rows + entries + onStream
  }

async function eraseRows(db: Db, userId: string, signal: AbortSignal): Promise<number> {
  for (let rows = 0; ;) {
    signal.throwIfAborted()
    const { found, complete } = await db.transaction((tx) => eraseBelongings(tx, userId))
    rows += found
    if (complete) return rows
  }
}

import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { storeLevel } from '../store/notification-levels.ts'

/** Stores the notification levels from events of notifications, because messages of muted rooms are not unread. */
export async function keepLevel({ aggregateId: userId, version, fact }: Event, tx: Tx): Promise<void> {
  if (fact.case !== 'notificationLevel') return
  const { roomId, level } = fact.value
  await storeLevel(tx, { userId, roomId, level, version })
}

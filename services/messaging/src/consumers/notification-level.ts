import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { storeLevel } from '../store/notification-levels.ts'

/** Stores a user's notification level, which the notifications service announces. Nothing in a muted room is unread. */
export async function onNotificationLevel({ aggregateId: userId, version, fact }: Event, tx: Tx): Promise<void> {
  if (fact.case !== 'notificationLevel') return
  const { roomId, level } = fact.value
  await storeLevel(tx, { userId, roomId, level, version })
}

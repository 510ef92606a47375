import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { storeLevel } from '../store/notification-levels.ts'

/**
 * Stores a notification level that the notifications service announces: a user's level for a room or, with an empty
 * room id, for all rooms without one. Messaging needs it because nothing in a muted room is unread.
 */
export async function onNotificationLevel({ aggregateId: userId, version, fact }: Event, tx: Tx): Promise<void> {
  if (fact.case !== 'notificationLevel') return
  const { roomId, level } = fact.value
  await storeLevel(tx, { userId, roomId, level, version })
}

import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { storeLevel } from '../store/notification-levels.ts'

/**
 * An empty room id stands for all rooms without a level of their own. Messaging needs levels because nothing in a muted
 * room is unread.
 */
export async function onNotificationLevel({ aggregateId: userId, version, fact }: Event, tx: Tx): Promise<void> {
  if (fact.case !== 'notificationLevel') return
  const { roomId, level } = fact.value
  await storeLevel(tx, { userId, roomId, level, version })
}

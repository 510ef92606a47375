import type { Db } from '@parley/postgres'
import { deleteTold } from '../store/erase-person.ts'
import { deleteNotificationLevels } from '../store/notification-levels.ts'
import { deleteSubscriptions } from '../store/push-subscriptions.ts'

/** Deletes what a deleted person was told, and chose to be told, and where. */
export const erasePerson =
  (db: Db) =>
  async (userId: string): Promise<number> =>
    (await deleteNotificationLevels(db, userId)) +
    (await deleteTold(db, userId)) +
    (await deleteSubscriptions(db, userId))

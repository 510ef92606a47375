import type { Db } from '@parley/postgres'
import { deleteNotificationLevels } from '../store/notification-levels.ts'

/** Deletes what a deleted person chose to be told. */
export const erasePerson =
  (db: Db) =>
  (userId: string): Promise<number> =>
    deleteNotificationLevels(db, userId)

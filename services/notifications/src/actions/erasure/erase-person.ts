import type { Context } from '../../context.ts'
import { dismissCaused } from '../dismissal/dismiss-caused.ts'
import { deleteTold } from '../../store/erase-person.ts'
import { eraseCalls } from '../../store/erase-calls.ts'
import { deleteNotificationLevels } from '../../store/notification-levels.ts'
import { deleteSubscriptions } from '../../store/push-subscriptions.ts'

/** Deletes what a deleted person was told, and chose to be told, and where; what they caused is no news any more. */
export const erasePerson =
  (ctx: Pick<Context, 'db' | 'relay' | 'now'>) =>
  async (userId: string, signal: AbortSignal): Promise<number> =>
    (await deleteNotificationLevels(ctx.db, userId, signal)) +
    (await deleteTold(ctx.db, userId)) +
    (await deleteSubscriptions(ctx.db, userId, signal)) +
    (await eraseCalls(ctx.db, userId, signal)) +
    (await dismissCaused(ctx, userId))

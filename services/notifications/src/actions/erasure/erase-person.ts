import type { Context } from '../../context.ts'
import { dismissCausedBy } from '../dismissal/dismiss-caused.ts'
import { deleteRowsOf } from '../../store/erase-person.ts'
import { deletePeopleCalledEvents } from '../../store/people-called-events.ts'
import { deleteNotificationLevels } from '../../store/notification-levels.ts'
import { deleteSubscriptions } from '../../store/push-subscriptions.ts'

/**
 * Deletes what is stored about a deleted person, including outbox entries with the person's name, and dismisses the
 * notifications that the person caused. Returns how many rows were found; 0 once nothing is left.
 */
export const erasePerson =
  (ctx: Pick<Context, 'db' | 'relay' | 'now'>) =>
  async (userId: string, signal: AbortSignal): Promise<number> =>
    (await deleteNotificationLevels(ctx.db, userId, signal)) +
    (await deleteRowsOf(ctx.db, userId)) +
    (await deleteSubscriptions(ctx.db, userId, signal)) +
    (await deletePeopleCalledEvents(ctx.db, userId, signal)) +
    (await dismissCausedBy(ctx, userId))

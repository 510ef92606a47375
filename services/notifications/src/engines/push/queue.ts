import type { Tx } from '@parley/postgres'
import { lockSubscriptions, insertDismissals, insertPushes, withdrawPushes } from '../../store/push-jobs.ts'
import { tagOf, type NotificationKind } from '../../domain/tag.ts'

export type CreatedNotification = {
  notificationId: string
  userId: string
  roomId: string
  eventId: string
  kind: NotificationKind
  /** Empty outside of threads. */
  threadRootEventId: string
  actorId: string
  createdAt: Date
  traceparent?: string | undefined
}

/** Queues a push to each browser of each recipient. Call it in the transaction that creates the notifications. */
export async function queuePushes(tx: Tx, created: readonly CreatedNotification[]): Promise<void> {
  if (created.length === 0) return
  await insertPushes(
    tx,
    created.map((one) => ({ ...one, tag: tagOf(one.kind, one.eventId) })),
  )
}

/**
 * Cancels waiting pushes, and queues dismissals for all browsers of the users, except those whose push was never sent.
 * Call it in the transaction that dismisses the notifications.
 */
export async function queueDismissals(tx: Tx, dismissed: readonly { userId: string; tag: string }[]): Promise<void> {
  if (dismissed.length === 0) return
  await lockSubscriptions(tx, [...new Set(dismissed.map(({ userId }) => userId))])
  const neverSent = await withdrawPushes(tx, dismissed)
  await insertDismissals(tx, dismissed, neverSent)
}

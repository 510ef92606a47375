import type { Tx } from '@parley/postgres'
import { lockSubscriptions, insertDismissals, insertPushes, withdrawPushes } from '../../store/push-jobs.ts'
import { tagOf, type NotificationKind } from '../../domain/tag.ts'

/** A notification to push. */
export type CreatedNotification = {
  notificationId: string
  userId: string
  roomId: string
  /** The message, or the echo. */
  eventId: string
  kind: NotificationKind
  /** Root of the thread; empty outside of threads. */
  threadRootEventId: string
  /** Id of the user who caused the notification. */
  actorId: string
  createdAt: Date
  /** W3C traceparent of the cause. */
  traceparent?: string | undefined
}

/** Queues a push to each browser of each recipient, in the transaction that creates the notifications. */
export async function queuePushes(tx: Tx, created: readonly CreatedNotification[]): Promise<void> {
  if (created.length === 0) return
  await insertPushes(
    tx,
    created.map((one) => ({ ...one, tag: tagOf(one.kind, one.eventId) })),
  )
}

/**
 * Removes dismissed notifications from devices, in the transaction that dismisses them: cancels waiting pushes, and
 * queues dismissals for browsers that may have received one.
 */
export async function queueDismissals(tx: Tx, dismissed: readonly { userId: string; tag: string }[]): Promise<void> {
  if (dismissed.length === 0) return
  await lockSubscriptions(tx, [...new Set(dismissed.map(({ userId }) => userId))])
  const neverSent = await withdrawPushes(tx, dismissed)
  await insertDismissals(tx, dismissed, neverSent)
}

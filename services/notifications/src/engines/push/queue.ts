import type { Tx } from '@parley/postgres'
import { holdSubscriptions, insertDismissals, insertPushes, withdrawPushes } from '../../store/push-jobs.ts'
import { tagOf, type PushKind } from '../../domain/tag.ts'

/** A notification somebody is to be told of. */
export type CreatedNotification = {
  notificationId: string
  userId: string
  roomId: string
  /** The message. */
  eventId: string
  kind: PushKind
  /** Root of the thread; empty outside of threads. */
  threadRootEventId: string
  /** Who caused it. */
  actorId: string
  createdAt: Date
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
 * Takes dismissed notifications off the devices, in the transaction that dismisses them: a push that did not leave yet never
 * will, and browsers that may have got one hear that it is over.
 */
export async function queueDismissals(tx: Tx, dismissed: readonly { userId: string; tag: string }[]): Promise<void> {
  if (dismissed.length === 0) return
  await holdSubscriptions(tx, [...new Set(dismissed.map(({ userId }) => userId))])
  const untouched = await withdrawPushes(tx, dismissed)
  await insertDismissals(tx, dismissed, untouched)
}

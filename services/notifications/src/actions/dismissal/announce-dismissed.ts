import { enqueue } from '@parley/events'
import type { Tx } from '@parley/postgres'
import { byShard } from '../../domain/shards.ts'
import { countDismissed } from '../../metrics.ts'
import { queueDismissals } from '../../engines/push/index.ts'
import { tagOf } from '../../domain/tag.ts'
import type { Dismissed } from '../../store/dismissals.ts'
import { takeVersions } from '../../store/shards.ts'
import { toDismissedEvent } from '../../view/notification-events.ts'

/**
 * Stores the events about dismissed notifications. For each one that was not silent, queues a push that closes it on
 * devices. The caller must have locked the users' shards with `lockShards`. Returns the outbox entries.
 */
export async function announceDismissed(tx: Tx, dismissed: readonly Dismissed[], at: Date): Promise<bigint[]> {
  const parts = await takeVersions(
    tx,
    [...byShard(dismissed)].map(([shard, notifications]) => ({ shard, notifications, at })),
  )
  const entries = await enqueue(
    tx,
    parts.map((part) => toDismissedEvent(part, part.notifications)),
  )
  const audible = dismissed.filter(({ silent }) => !silent)
  await queueDismissals(
    tx,
    audible.map(({ userId, kind, eventId }) => ({ userId, tag: tagOf(kind, eventId) })),
  )
  countDismissed(dismissed.length)
  return entries
}

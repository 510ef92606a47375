import { enqueue } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Recipient } from '../../domain/candidates.ts'
import type { Message } from '../../domain/message.ts'
import { byShard } from '../../domain/shards.ts'
import { countCreated } from '../../metrics.ts'
import { queuePushes } from '../../engines/push/index.ts'
import { insertNotifications, type Created } from '../../store/new-notifications.ts'
import { takeVersions } from '../../store/shards.ts'
import { toPeopleCalledEvent, toCreatedEvent, type DisplayDetails } from '../../view/notification-events.ts'

export type NotificationDraft = { message: Message; display: DisplayDetails; recipients: readonly Recipient[] }

/**
 * Creates notifications and their events, and queues their pushes. The caller must have locked the users' shards with
 * `lockShards`. Repeated calls create no second notification for the same message and person. Returns the outbox
 * entries.
 */
export async function createNotifications(tx: Tx, drafts: readonly NotificationDraft[], at: Date): Promise<bigint[]> {
  const dated = withDistinctTimes(drafts, at)
  const created = await insertNotifications(tx, dated)
  if (created.length === 0) return []
  const groups = groupByMessage(dated, created)
  const parts = await takeVersions(
    tx,
    groups.flatMap(({ created, ...group }) =>
      [...byShard(created)].map(([shard, notifications]) => ({ ...group, shard, notifications })),
    ),
  )
  const entries = await enqueue(tx, [
    ...parts.map((part) => toCreatedEvent(part, part.message, part.notifications)),
    ...groups.flatMap(
      ({ message, display, at: createdAt, created }) => toPeopleCalledEvent(message, display, created, createdAt) ?? [],
    ),
  ])
  await queuePushes(
    tx,
    groups.flatMap(
      ({ message: { roomId, eventId, threadRootEventId, actorId, traceparent }, at: createdAt, created }) =>
        created
          .filter(({ silent }) => !silent)
          .map(({ id: notificationId, userId, kind }) => ({
            ...{ notificationId, userId, kind, roomId, eventId, threadRootEventId, actorId, createdAt, traceparent },
          })),
    ),
  )
  for (const { message, created } of groups) countCreated(created, message.postedAt, at)
  return entries
}

type Dated = NotificationDraft & { at: Date }

/** The times are a millisecond apart, so that notifications are listed in the order of messages. */
const withDistinctTimes = (drafts: readonly NotificationDraft[], at: Date): Dated[] =>
  drafts.map((draft, n) => ({ ...draft, at: new Date(at.getTime() - (drafts.length - 1 - n)) }))

function groupByMessage(drafts: readonly Dated[], created: readonly Created[]) {
  const byEvent = Map.groupBy(created, ({ eventId }) => eventId)
  const draftOf = new Map(drafts.map((draft) => [draft.message.eventId, draft]))
  return [...draftOf.values()].flatMap(({ message, display, at }) => {
    const own = byEvent.get(message.eventId)
    return own ? [{ message, display, at, created: own }] : []
  })
}

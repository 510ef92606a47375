import { enqueue } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Recipient } from '../domain/candidates.ts'
import type { Message } from '../domain/message.ts'
import { byShard } from '../domain/shards.ts'
import { countCreated } from '../metrics.ts'
import { queuePushes } from '../push/queue.ts'
import { insertNotifications } from '../store/new-notifications.ts'
import { raiseShard } from '../store/shards.ts'
import { toCreatedEvent } from '../view/notification-events.ts'

/** What is told to whom. */
export type Telling = { message: Message; roomName: string; recipients: readonly Recipient[] }

/** Tells recipients, whose shards are held, of a message: each at most once, whatever is repeated. */
export async function tell(tx: Tx, { message, roomName, recipients }: Telling, at: Date): Promise<bigint[]> {
  if (recipients.length === 0) return []
  const created = await insertNotifications(tx, message, recipients, at)
  const entries: bigint[] = []
  for (const [shard, those] of [...byShard(created)].sort(([a], [b]) => a - b)) {
    const version = await raiseShard(tx, shard)
    entries.push(...(await enqueue(tx, toCreatedEvent({ shard, version, at }, message, roomName, those))))
  }
  const aloud = created.filter(({ silent }) => !silent)
  await queuePushes(
    tx,
    aloud.map(({ id: notificationId, userId, kind }) => {
      const { roomId, eventId, threadRootEventId, actorId } = message
      return { notificationId, userId, kind, roomId, eventId, threadRootEventId, actorId, createdAt: at }
    }),
  )
  countCreated(created, message.postedAt, at)
  return entries
}

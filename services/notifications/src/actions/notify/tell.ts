import { enqueue } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Recipient } from '../../domain/candidates.ts'
import type { Message } from '../../domain/message.ts'
import { byShard } from '../../domain/shards.ts'
import { countCreated } from '../../metrics.ts'
import { queuePushes } from '../../engines/push/index.ts'
import { insertNotifications, type Created } from '../../store/new-notifications.ts'
import { takeVersions } from '../../store/shards.ts'
import { toCalledEvent, toCreatedEvent, type Hints } from '../../view/notification-events.ts'

/** A message and the people to notify of it. */
export type Telling = { message: Message; hints: Hints; recipients: readonly Recipient[] }

/**
 * Creates notifications for the recipients, whose shards must be locked. Repeating it creates no second one for the
 * same message and person.
 */
export async function tell(tx: Tx, tellings: readonly Telling[], at: Date): Promise<bigint[]> {
  const dated = inTurn(tellings, at)
  const created = await insertNotifications(tx, dated)
  if (created.length === 0) return []
  const news = newsOf(dated, created)
  const parts = await takeVersions(
    tx,
    news.flatMap(({ told, ...of }) => [...byShard(told)].map(([shard, those]) => ({ ...of, shard, those }))),
  )
  const entries = await enqueue(tx, [
    ...parts.map((part) => toCreatedEvent(part, part.message, part.those)),
    ...news.flatMap(({ message, hints, at: toldAt, told }) => toCalledEvent(message, hints, told, toldAt) ?? []),
  ])
  await queuePushes(
    tx,
    news.flatMap(({ message: { roomId, eventId, threadRootEventId, actorId }, at: createdAt, told }) =>
      told
        .filter(({ silent }) => !silent)
        .map(({ id: notificationId, userId, kind }) => ({
          ...{ notificationId, userId, kind, roomId, eventId, threadRootEventId, actorId, createdAt },
        })),
    ),
  )
  for (const { message, told } of news) countCreated(told, message.postedAt, at)
  return entries
}

type Dated = Telling & { at: Date }

/**
 * Spaces notifications of one batch a millisecond apart, so that lists (newest first) keep the order of the messages.
 */
const inTurn = (tellings: readonly Telling[], at: Date): Dated[] =>
  tellings.map((telling, n) => ({ ...telling, at: new Date(at.getTime() - (tellings.length - 1 - n)) }))

/** The messages for which notifications were created just now, with those notifications. */
function newsOf(tellings: readonly Dated[], created: readonly Created[]) {
  const told = new Map<string, Created[]>()
  for (const one of created) {
    const those = told.get(one.eventId)
    if (those) those.push(one)
    else told.set(one.eventId, [one])
  }
  const tellingOf = new Map(tellings.map((telling) => [telling.message.eventId, telling]))
  return [...tellingOf.values()].flatMap(({ message, hints, at }) => {
    const those = told.get(message.eventId)
    return those ? [{ message, hints, at, told: those }] : []
  })
}

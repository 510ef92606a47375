import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { BatchPreparation } from '@parley/events'
import type { Event } from '@parley/contracts/internal'
import type { Context } from '../context.ts'
import { toAudienceJob } from '../domain/work.ts'
import { postingOf, type Message, type Posting } from '../domain/message.ts'
import { listFirstAllMessagesUsers } from '../store/all-messages.ts'
import type { ReadMarker } from '../store/read-markers.ts'
import { recordRetractions } from '../store/tombstones.ts'
import {
  maxImmediateAllMessages,
  findAllMessagesUsers,
  findRecipients,
  notifiesAllMessagesUsers,
  noAllMessagesUsers,
  type AllMessagesUsers,
} from '../actions/notify/find-recipients.ts'
import { findSender } from '../actions/notify/find-sender.ts'
import { applyChanges, type Change } from './changes.ts'

/**
 * Whether the event shows, without a look-up, that it may notify somebody or dismiss something. Other events wait for a
 * batch: most messages only move the read marker of their author, and people with the level ALL_MESSAGES can wait.
 */
export function isUrgent(event: Event): boolean {
  const fact = postingOf(event)?.fact
  if (!fact) return true
  const { userIds = [], roleIds = [], all = false, here = false } = fact.mentions ?? {}
  const people = [...userIds, ...roleIds, ...fact.dmParticipantIds, ...fact.threadFollowerIds, fact.inReplyToAuthorId]
  return all || here || fact.manyThreadFollowers || people.some((id) => id !== '' && id !== event.actorId)
}

/** Nobody is notified of retracted messages. People who left the room are not notified of earlier messages. */
export const onRoomEvents =
  (ctx: Context): BatchPreparation =>
  async (events) => {
    await recordRetractionsFirst(ctx, events)
    const allMessages = await findAllMessagesUsersByRoom(ctx, events)
    const found = await Promise.allSettled(events.map((event) => changeOf(ctx, event, allMessages)))
    const changes = new Map<string, Change>()
    const failed = new Map<string, unknown>()
    for (const [n, { id }] of events.entries()) {
      const one = found[n]
      if (one?.status === 'fulfilled') changes.set(id, one.value)
      else failed.set(id, one?.reason)
    }
    return {
      failed,
      handle: async (received, tx) => {
        const found = received.flatMap(({ id }) => changes.get(id) ?? [])
        const entries = await applyChanges(tx, found, ctx.now())
        return () => ctx.relay.wake(entries)
      },
    }
  }

async function changeOf(
  ctx: Context,
  event: Event,
  allMessages: ReadonlyMap<string, AllMessagesUsers>,
): Promise<Change> {
  const posting = postingOf(event)
  const notifications = posting && (await notificationsOf(ctx, posting, allMessages.get(posting.message.roomId)))
  const read = posting && event.fact.case === 'messagePosted' && { read: markerOfAuthor(posting.message) }
  return { ...notifications, ...read, ...retractionOf(event), ...departureOf(event) }
}

/**
 * Transactions that lock a shard afterwards find the retractions and create no notifications. Notifications that
 * earlier transactions created are dismissed when the events are handled.
 */
const recordRetractionsFirst = ({ db, now }: Context, events: readonly Event[]): Promise<void> =>
  recordRetractions(
    db,
    events.flatMap(({ fact }) => (fact.case === 'messageRetracted' ? [fact.value.messageEventId] : [])),
    now(),
  )

async function findAllMessagesUsersByRoom(
  ctx: Context,
  events: readonly Event[],
): Promise<ReadonlyMap<string, AllMessagesUsers>> {
  const postings = events.flatMap((event) => postingOf(event) ?? []).filter(notifiesAllMessagesUsers)
  const roomIds = new Set(postings.map(({ message }) => message.roomId))
  const first = await listFirstAllMessagesUsers(ctx.db, [...roomIds], maxImmediateAllMessages + 1)
  const found = [...first].map(async ([id, userIds]) => [id, await findAllMessagesUsers(ctx, id, userIds)] as const)
  return new Map(await Promise.all(found))
}

async function notificationsOf(ctx: Context, posting: Posting, allMessages = noAllMessagesUsers): Promise<Change> {
  const { message, fact } = posting
  const { audiences } = ctx
  const { recipients, forJob, roomName } = await findRecipients({ audiences, allMessages }, posting)
  const needsSender = recipients.some(
    ({ kind, silent }) => !silent && (kind === 'mention' || kind === 'direct_message'),
  )
  const sender = needsSender ? await findSender(ctx, message.actorId) : undefined
  const display = { roomName, sender, others: Math.max(0, fact.dmParticipantIds.length - 2) }
  return {
    ...(recipients.length > 0 && { draft: { message, display, recipients } }),
    ...(forJob.length > 0 && { job: toAudienceJob(message, forJob) }),
  }
}

const markerOfAuthor = ({
  actorId: userId,
  roomId,
  roomSeq,
  threadRootEventId,
  postedAt: at,
}: Message): ReadMarker => ({
  ...{ userId, roomId, roomSeq, threadRootEventId, at },
})

function retractionOf({ fact }: Event): Change {
  if (fact.case !== 'messageRetracted') return {}
  const { messageEventId: eventId, echoOnly } = fact.value
  return { dismissal: { of: echoOnly ? 'echo' : 'message', eventId } }
}

function departureOf({ aggregateId: roomId, occurredAt, fact }: Event): Change {
  const change = fact.case === 'roomFact' ? fact.value.fact?.fact : undefined
  if (fact.case !== 'roomFact' || (change?.case !== 'left' && change?.case !== 'banned')) return {}
  const at = occurredAt ? timestampDate(occurredAt) : new Date(0)
  return { left: { userId: change.value.userId, roomId, roomSeq: fact.value.roomSeq, at } }
}

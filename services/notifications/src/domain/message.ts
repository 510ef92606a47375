import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Event, MessagePostedFact } from '@parley/contracts/internal'

export type Message = {
  roomId: string
  /** Id of the message, which may be an echo. */
  eventId: string
  /** Equal to `eventId`; for an echo, the id of the reply that it shows. */
  messageId: string
  actorId: string
  roomSeq: bigint
  threadRootEventId: string
  inReplyTo: string
  postedAt: Date
  /** Mentions were resolved after the message was posted; `postedAt` is then the time of the resolution. */
  resolvedLater?: boolean
  /**
   * W3C traceparent of the request that posted the message, or of the job that resolved its mentions later. Empty
   * outside of any trace.
   */
  traceparent?: string
}

export type Posting = { message: Message; fact: MessagePostedFact }

/** A posted message, or one whose mentions were resolved later. Undefined if the event is about neither. */
export function postingOf({ id, aggregateId, actorId, occurredAt, traceparent, fact }: Event): Posting | undefined {
  const at = occurredAt ? timestampDate(occurredAt) : new Date(0)
  if (fact.case === 'messagePosted')
    return toPosting(aggregateId, { eventId: id, actorId, at, traceparent }, fact.value)
  if (fact.case !== 'mentionsResolved' || !fact.value.posted) return undefined
  const { messageEventId: eventId, authorId, posted } = fact.value
  const posting = toPosting(aggregateId, { eventId, actorId: authorId, at, traceparent }, posted)
  return { ...posting, message: { ...posting.message, resolvedLater: true } }
}

function toPosting(
  roomId: string,
  { eventId, actorId, at, traceparent }: { eventId: string; actorId: string; at: Date; traceparent: string },
  fact: MessagePostedFact,
): Posting {
  const { roomSeq, threadRootEventId, inReplyTo, echoOfEventId } = fact
  const messageId = echoOfEventId || eventId
  const place = { roomSeq, threadRootEventId, inReplyTo, postedAt: at }
  return { message: { roomId, eventId, messageId, actorId, ...place, traceparent }, fact }
}

import {
  echoWithoutThread,
  replyTargetElsewhere,
  replyTargetUnknown,
  threadInDm,
  threadRootInvalid,
  threadRootNotFound,
} from '../errors.ts'
import type { Draft } from './draft.ts'
import type { EventRow } from './event-row.ts'
import { isDm, type RoomHeader } from './room-header.ts'

/** An event to which a draft refers. */
export type ReplyTarget = Pick<
  EventRow,
  'eventId' | 'kind' | 'actorId' | 'threadRootEventId' | 'echoOfEventId' | 'echoFromThreadRootEventId'
> & {
  /** Author of the root if the event is a reply in a thread; otherwise null. */
  rootActorId: string | null
  /** Whether the thread of the event has, or had, replies. */
  hasReplies: boolean
  /** Whether the author of the thread's root follows it, or has decided not to. */
  rootActorDecided: boolean
  /** Followers of the thread, at most one more than `maxFollowersInEvent`. */
  followerIds: string[]
}

/** Maximum number of followers of a thread that a fact lists. */
export const maxFollowersInEvent = 100

/** The thread to which a reply belongs. */
export type ReplyThread = {
  rootEventId: string
  rootAuthorId: string
  /**
   * Followers of the thread; before the first reply also the author of the root, unless that user has decided not to
   * follow. Some may no longer be members.
   */
  followerIds: string[]
}

/** What a new message replies to, and its thread. */
export type Placement = { inReplyTo: string; inReplyToAuthorId: string; thread: ReplyThread | undefined }

export const inChannel: Placement = { inReplyTo: '', inReplyToAuthorId: '', thread: undefined }

/** Determines what a reply refers to. Throws `invalid_argument` or `not_found` if that is not possible. */
export function toPlacement(draft: Draft, room: Pick<RoomHeader, 'kind'>, targets: readonly ReplyTarget[]): Placement {
  const find = (eventId: string) => targets.find((target) => target.eventId === eventId)
  if (draft.threadRootEventId) {
    if (isDm(room)) throw threadInDm()
    const root = find(draft.threadRootEventId)
    if (!root) throw threadRootNotFound()
    if (root.kind !== 'message_posted' || root.threadRootEventId || root.echoOfEventId) throw threadRootInvalid()
    const repliedTo = draft.inReplyTo ? findTargetInThread(root.eventId, find(draft.inReplyTo)) : repliesToNothing
    return { ...repliedTo, thread: threadOf(root, root.eventId, root.actorId) }
  }
  const target = find(draft.inReplyTo)
  if (target?.kind !== 'message_posted') throw replyTargetUnknown()
  const repliedTo = { inReplyTo: target.eventId, inReplyToAuthorId: target.actorId }
  if (target.threadRootEventId) {
    return { ...repliedTo, thread: threadOf(target, target.threadRootEventId, target.rootActorId ?? '') }
  }
  if (draft.withEcho) throw echoWithoutThread()
  return { ...repliedTo, thread: undefined }
}

type RepliedTo = Pick<Placement, 'inReplyTo' | 'inReplyToAuthorId'>

const repliesToNothing: RepliedTo = inChannel

function threadOf(target: ReplyTarget, rootEventId: string, rootAuthorId: string): ReplyThread {
  const { hasReplies, rootActorDecided, followerIds } = target
  const addsRootAuthor = !hasReplies && !rootActorDecided && rootAuthorId !== ''
  return { rootEventId, rootAuthorId, followerIds: addsRootAuthor ? [...followerIds, rootAuthorId] : followerIds }
}

/** The message of the thread to which the draft replies: the root, a reply, or the reply of the named echo. */
function findTargetInThread(rootEventId: string, target: ReplyTarget | undefined): RepliedTo {
  if (target?.kind !== 'message_posted') throw replyTargetUnknown()
  const replyTo = (eventId: string) => ({ inReplyTo: eventId, inReplyToAuthorId: target.actorId })
  if (target.eventId === rootEventId || target.threadRootEventId === rootEventId) return replyTo(target.eventId)
  if (target.echoOfEventId && target.echoFromThreadRootEventId === rootEventId) return replyTo(target.echoOfEventId)
  throw replyTargetElsewhere()
}

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

export type ReplyTarget = Pick<
  EventRow,
  'eventId' | 'kind' | 'actorId' | 'threadRootEventId' | 'echoOfEventId' | 'echoFromThreadRootEventId'
> & {
  rootActorId: string | null
  /** Retracted replies count. */
  hasReplies: boolean
  rootActorDecided: boolean
  /** At most one more than `maxFollowersInEvent`. */
  followerIds: string[]
}

export const maxFollowersInEvent = 100

export type ReplyThread = {
  rootEventId: string
  rootAuthorId: string
  /**
   * Before the first reply, the followers include the root's author, unless that user has decided about the thread. Some
   * followers may no longer be members.
   */
  followerIds: string[]
}

export type Placement = { inReplyTo: string; inReplyToAuthorId: string; thread: ReplyThread | undefined }

export const inChannel: Placement = { inReplyTo: '', inReplyToAuthorId: '', thread: undefined }

/** Throws `invalid_argument` or `not_found` if the draft cannot refer to the targets. */
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

function findTargetInThread(rootEventId: string, target: ReplyTarget | undefined): RepliedTo {
  if (target?.kind !== 'message_posted') throw replyTargetUnknown()
  const replyTo = (eventId: string) => ({ inReplyTo: eventId, inReplyToAuthorId: target.actorId })
  if (target.eventId === rootEventId || target.threadRootEventId === rootEventId) return replyTo(target.eventId)
  if (target.echoOfEventId && target.echoFromThreadRootEventId === rootEventId) return replyTo(target.echoOfEventId)
  throw replyTargetElsewhere()
}

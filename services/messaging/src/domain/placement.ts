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
import { isDm, type RoomHeader } from './room-line.ts'

/** An event that a draft names. */
export type Target = Pick<
  EventRow,
  'eventId' | 'kind' | 'actorId' | 'threadRootEventId' | 'echoOfEventId' | 'echoFromThreadRootEventId'
> & {
  /** Author of the root when the event is a reply in a thread. */
  rootActorId: string | null
  /** Whether the thread of the event has a reply. */
  started: boolean
  /** Whether the author of its root has decided about following it. */
  rootActorDecided: boolean
  /** Its followers, at most one more than facts list. */
  followerIds: string[]
}

/** Maximum number of followers of a thread that facts contain. */
export const maxFollowersInEvent = 100

/** The thread of a message. */
export type ThreadPlace = {
  rootEventId: string
  rootAuthorId: string
  /** Its followers if nobody decides otherwise; the first reply adds the author of the root. */
  followerIds: string[]
}

/** The message replied to, and the thread of the new message. */
export type Placement = { inReplyTo: string; inReplyToAuthorId: string; thread: ThreadPlace | undefined }

export const inChannel: Placement = { inReplyTo: '', inReplyToAuthorId: '', thread: undefined }

/** Finds the place of a reply. Throws invalid_argument or not_found when it has none. */
export function placeReply(draft: Draft, room: Pick<RoomHeader, 'kind'>, targets: readonly Target[]): Placement {
  const find = (eventId: string) => targets.find((target) => target.eventId === eventId)
  if (draft.threadRootEventId) {
    if (isDm(room)) throw threadInDm()
    const root = find(draft.threadRootEventId)
    if (!root) throw threadRootNotFound()
    if (root.kind !== 'message_posted' || root.threadRootEventId || root.echoOfEventId) throw threadRootInvalid()
    const answered = draft.inReplyTo ? withinThread(root.eventId, find(draft.inReplyTo)) : nothing
    return { ...answered, thread: threadOf(root, root.eventId, root.actorId) }
  }
  const target = find(draft.inReplyTo)
  if (target?.kind !== 'message_posted') throw replyTargetUnknown()
  const answered = { inReplyTo: target.eventId, inReplyToAuthorId: target.actorId }
  if (target.threadRootEventId) {
    return { ...answered, thread: threadOf(target, target.threadRootEventId, target.rootActorId ?? '') }
  }
  if (draft.withEcho) throw echoWithoutThread()
  return { ...answered, thread: undefined }
}

type Answered = Pick<Placement, 'inReplyTo' | 'inReplyToAuthorId'>

const nothing: Answered = inChannel

function threadOf(target: Target, rootEventId: string, rootAuthorId: string): ThreadPlace {
  const { started, rootActorDecided, followerIds } = target
  const joins = !started && !rootActorDecided && rootAuthorId !== ''
  return { rootEventId, rootAuthorId, followerIds: joins ? [...followerIds, rootAuthorId] : followerIds }
}

/** The message in the thread that is replied to: the root, a reply, or the reply whose echo was named. */
function withinThread(rootEventId: string, target: Target | undefined): Answered {
  if (target?.kind !== 'message_posted') throw replyTargetUnknown()
  const answered = (eventId: string) => ({ inReplyTo: eventId, inReplyToAuthorId: target.actorId })
  if (target.eventId === rootEventId || target.threadRootEventId === rootEventId) return answered(target.eventId)
  if (target.echoOfEventId && target.echoFromThreadRootEventId === rootEventId) return answered(target.echoOfEventId)
  throw replyTargetElsewhere()
}

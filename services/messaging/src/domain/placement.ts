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
}

/** Where a message goes: what it answers to, and the thread it stands in. */
export type Placement = { inReplyTo: string; thread: { rootEventId: string; rootAuthorId: string } | undefined }

export const inChannel: Placement = { inReplyTo: '', thread: undefined }

/** Finds the place of a reply. Throws invalid_argument or not_found when it has none. */
export function placeReply(draft: Draft, room: Pick<RoomHeader, 'kind'>, targets: readonly Target[]): Placement {
  const find = (eventId: string) => targets.find((target) => target.eventId === eventId)
  if (draft.threadRootEventId) {
    if (isDm(room)) throw threadInDm()
    const root = find(draft.threadRootEventId)
    if (!root) throw threadRootNotFound()
    if (root.kind !== 'message_posted' || root.threadRootEventId || root.echoOfEventId) throw threadRootInvalid()
    const inReplyTo = draft.inReplyTo && withinThread(root.eventId, find(draft.inReplyTo))
    return { inReplyTo, thread: { rootEventId: root.eventId, rootAuthorId: root.actorId } }
  }
  const target = find(draft.inReplyTo)
  if (target?.kind !== 'message_posted') throw replyTargetUnknown()
  if (target.threadRootEventId) {
    const thread = { rootEventId: target.threadRootEventId, rootAuthorId: target.rootActorId ?? '' }
    return { inReplyTo: target.eventId, thread }
  }
  if (draft.withEcho) throw echoWithoutThread()
  return { inReplyTo: target.eventId, thread: undefined }
}

/** The message of the thread that is answered: the root, a reply, or the reply whose echo is named. */
function withinThread(rootEventId: string, target: Target | undefined): string {
  if (target?.kind !== 'message_posted') throw replyTargetUnknown()
  if (target.eventId === rootEventId || target.threadRootEventId === rootEventId) return target.eventId
  if (target.echoOfEventId && target.echoFromThreadRootEventId === rootEventId) return target.echoOfEventId
  throw replyTargetElsewhere()
}

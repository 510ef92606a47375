import type { Subject } from '@parley/permissions'
import { derivedId, newId } from '@parley/ids'
import type { Context } from '../../context.ts'
import { hasParts, isReply, type Draft } from '../../domain/draft.ts'
import type { EventRow } from '../../domain/event-row.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { sized } from '../../domain/page-bytes.ts'
import { inChannel, placeReply, type Placement } from '../../domain/placement.ts'
import type { RoomHeader } from '../../domain/room-line.ts'
import { roomNotFound } from '../../errors.ts'
import { assertReads, refusalOfPosting } from '../../policy/room-access.ts'
import { findStanding } from '../../store/lines.ts'
import { findTargets } from '../../store/targets.ts'
import { findMentioned } from './mentions.ts'
import { posting, type Message, type Parts, type Post } from './message.ts'
import { findParts, textAlone } from './parts.ts'

/**
 * Writes the message into the room's line. Undefined when the key, or a file, is taken, be it by a request that runs at this
 * moment.
 * Throws what keeps the caller from posting.
 */
export async function post(ctx: Context, request: Post): Promise<EventRow | undefined> {
  if (!looksLikeId(request.draft.roomId)) throw roomNotFound()
  const message = await prepare(ctx, request)
  const seq = await ctx.posts.write(request.draft.roomId, message, request.signal)
  return seq === undefined ? undefined : toRow(message, seq)
}

async function prepare(ctx: Context, request: Post): Promise<Message> {
  const { caller, draft } = request
  const mentioning = findMentioned(ctx, draft.body)
  const room = isReply(draft) || hasParts(draft) ? await readable(ctx, caller, draft.roomId) : undefined
  const placement = room && isReply(draft) ? await findPlacement(ctx, draft, room) : inChannel
  const eventId = newEventId(request)
  return {
    post: request,
    eventId,
    actorId: caller.userId,
    createdAt: ctx.now(),
    inReplyTo: placement.inReplyTo,
    threadRootEventId: placement.thread?.rootEventId ?? '',
    echoOfEventId: '',
    placement,
    echoEventId: draft.withEcho ? newId('event') : undefined,
    parts: room && hasParts(draft) ? await findPermittedParts(ctx, request, placement, room, eventId) : textAlone,
    mentioned: await mentioning,
  }
}

/**
 * Files are claimed for an event id. Whoever tries again to post the same ones, after an attempt that failed between claim
 * and write, has to come with the same id.
 */
const newEventId = ({ caller, draft }: Post): string =>
  draft.attachmentAssetIds.length > 0
    ? derivedId('event', caller.userId, draft.roomId, ...draft.attachmentAssetIds)
    : newId('event')

function findPlacement(ctx: Context, draft: Draft, room: RoomHeader): Promise<Placement> {
  const ids = [draft.threadRootEventId, draft.inReplyTo].filter(looksLikeId)
  return findTargets(ctx.pool, draft.roomId, ids).then((targets) => placeReply(draft, room, targets))
}

async function findPermittedParts(
  ctx: Context,
  request: Post,
  placement: Placement,
  room: RoomHeader,
  eventId: string,
): Promise<Parts> {
  const refusal = refusalOfPosting(ctx.policy(), request.caller, room, posting(request.draft, placement))
  if (refusal) throw refusal
  return findParts(ctx, request, eventId)
}

async function readable(ctx: Context, caller: Subject, roomId: string): Promise<RoomHeader> {
  const found = await findStanding(ctx.pool, roomId, caller.userId)
  if (!found) throw roomNotFound()
  ctx.headers.put(found.room)
  assertReads(ctx.policy(), caller, found.room, found.standing)
  return found.room
}

function toRow(message: Message, seq: bigint): EventRow {
  const { eventId, actorId, createdAt, inReplyTo, threadRootEventId, echoEventId, post } = message
  return sized({
    seq,
    eventId,
    kind: 'message_posted',
    actorId,
    createdAt,
    updatedAt: null,
    deletedAt: null,
    body: post.draft.body,
    attachments: null,
    linkPreview: null,
    reactions: null,
    inReplyTo: inReplyTo || null,
    threadRootEventId: threadRootEventId || null,
    echoOfEventId: null,
    echoFromThreadRootEventId: null,
    channelEchoEventId: echoEventId ?? null,
    replyCount: null,
    lastReplyAt: null,
    participantIds: null,
    isFollowing: null,
  })
}

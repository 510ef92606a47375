import { Code, ConnectError } from '@connectrpc/connect'
import type { Subject } from '@parley/permissions'
import { derivedId, newId } from '@parley/ids'
import { currentTraceparent } from '@parley/telemetry'
import type { Context } from '../../context.ts'
import { hasParts, isReply, type Draft } from '../../domain/draft.ts'
import type { EventRow } from '../../domain/event-row.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { withSize } from '../../domain/page-bytes.ts'
import { inChannel, toPlacement, type Placement } from '../../domain/placement.ts'
import type { RoomHeader } from '../../domain/room-header.ts'
import { messageNotFound, roomNotFound } from '../../errors.ts'
import { assertMayRead, refusalOfPosting } from '../../policy/room-access.ts'
import { findStanding } from '../../store/rooms.ts'
import { findMessageKey, type UsedKey } from '../../store/message-keys.ts'
import { findOwnMessage } from '../../store/messages.ts'
import { findTargets } from '../../store/targets.ts'
import { findMentions } from './mentions.ts'
import { toPostProperties, type Message, type Parts, type Post, type PostWriteOutcome } from './message.ts'
import { prepareParts, noParts } from './parts.ts'

export type PostOutcome =
  | { kind: 'written'; row: EventRow }
  /** The key was used for the same request. `row` is the current message. */
  | { kind: 'replayed'; roomId: string; row: EventRow }
  | { kind: 'keyReused' }
  | { kind: 'fileTaken'; assetId: string }
  | { kind: 'refused'; error: ConnectError }

/** Throws if something fails or is unavailable; the message may then have been written. */
export async function post(ctx: Context, request: Post, signal: AbortSignal): Promise<PostOutcome> {
  const outcome = await write(ctx, request, signal)
  if (outcome.kind === 'keyTaken') return replay(ctx, request, outcome.used)
  if (outcome.kind === 'written') return { kind: 'written', row: await toRow(ctx, outcome.message, outcome.seq) }
  if (outcome.kind === 'fileTaken' || request.key === undefined) return outcome
  // A repeated request may be refused because the author has lost access since the first.
  const used = await findMessageKey(ctx.pool, request.caller.userId, request.key)
  return used ? replay(ctx, request, used) : outcome
}

type WriteOutcome = Exclude<PostWriteOutcome, { kind: 'written' }> | { kind: 'written'; seq: bigint; message: Message }

async function write(ctx: Context, request: Post, signal: AbortSignal): Promise<WriteOutcome> {
  const { roomId } = request.draft
  try {
    if (!looksLikeId(roomId)) throw roomNotFound()
    const message = await prepare(ctx, request)
    const outcome = await ctx.writer.submit(roomId, { kind: 'post', message, signal })
    return outcome.kind === 'written' ? { ...outcome, message } : outcome
  } catch (error) {
    if (error instanceof ConnectError && error.code !== Code.Unavailable) return { kind: 'refused', error }
    throw error
  }
}

async function replay(ctx: Context, { caller, digest }: Post, used: UsedKey): Promise<PostOutcome> {
  if (!digest.equals(used.digest)) return { kind: 'keyReused' }
  const { roomId } = used
  const row = await findOwnMessage(ctx.pool, roomId, caller.userId, used.eventId)
  return row ? { kind: 'replayed', roomId, row } : { kind: 'refused', error: messageNotFound() }
}

async function prepare(ctx: Context, request: Post): Promise<Message> {
  const { caller, draft } = request
  const mentioning = findMentions(ctx, draft.body)
  const room = isReply(draft) || hasParts(draft) ? await getReadableRoom(ctx, caller, draft.roomId) : undefined
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
    parts: room && hasParts(draft) ? await findPermittedParts(ctx, request, placement, room, eventId) : noParts,
    mentioned: await mentioning,
    traceparent: currentTraceparent(),
  }
}

/**
 * Files are claimed for an event id. A retry with the same files must use the same id, because the first attempt may
 * have failed after the claim and before the write.
 */
const newEventId = ({ caller, draft }: Post): string =>
  draft.attachmentAssetIds.length > 0
    ? derivedId('event', caller.userId, draft.roomId, ...draft.attachmentAssetIds)
    : newId('event')

function findPlacement(ctx: Context, draft: Draft, room: RoomHeader): Promise<Placement> {
  const ids = [draft.threadRootEventId, draft.inReplyTo].filter(looksLikeId)
  return findTargets(ctx.pool, draft.roomId, ids).then((targets) => toPlacement(draft, room, targets))
}

async function findPermittedParts(
  ctx: Context,
  request: Post,
  placement: Placement,
  room: RoomHeader,
  eventId: string,
): Promise<Parts> {
  const refusal = refusalOfPosting(ctx.policy(), request.caller, room, toPostProperties(request.draft, placement))
  if (refusal) throw refusal
  return prepareParts(ctx, request, eventId)
}

async function getReadableRoom(ctx: Context, caller: Subject, roomId: string): Promise<RoomHeader> {
  const found = await findStanding(ctx.pool, roomId, caller.userId)
  if (!found) throw roomNotFound()
  ctx.headers.put(found.room)
  assertMayRead(ctx.policy(), caller, found.room, found.standing)
  return found.room
}

async function toRow(ctx: Context, message: Message, seq: bigint): Promise<EventRow> {
  const { roomId } = message.post.draft
  const stored =
    hasParts(message.post.draft) && (await findOwnMessage(ctx.pool, roomId, message.actorId, message.eventId))
  return stored || toTextRow(message, seq)
}

function toTextRow(message: Message, seq: bigint): EventRow {
  const { eventId, actorId, createdAt, inReplyTo, threadRootEventId, echoEventId, post } = message
  return withSize({
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

import type { Subject } from '@parley/auth'
import { newId } from '@parley/ids'
import type { Context } from '../context.ts'
import { isReply, type Draft } from '../domain/draft.ts'
import type { EventRow } from '../domain/event-row.ts'
import { looksLikeId } from '../domain/ids.ts'
import { inChannel, placeReply, type Placement } from '../domain/placement.ts'
import type { RoomHeader } from '../domain/room-line.ts'
import { roomNotFound, unknownAttachment, unknownLinkPreview } from '../errors.ts'
import { assertReads, opensTo, refusalOfPosting, type Posting } from '../policy/room-access.ts'
import { appendMessage, type Appended } from '../store/append-message.ts'
import { appendReply } from '../store/append-reply.ts'
import { findStanding, lockLine, type HeaderAndStanding } from '../store/lines.ts'
import { transaction, type Connection } from '../store/statement.ts'
import { findTargets } from '../store/targets.ts'
import { threadCreatedRider, threadFollowedRider, toPostedEntry, type Posted } from '../view/posted-event.ts'

/** One request to post. */
export type Post = { caller: Subject; draft: Draft; key: string | undefined; digest: Uint8Array }

/**
 * Writes the message into the room's line. Undefined when the key is taken, be it by a request that runs at this moment.
 * Throws what keeps the caller from posting.
 */
export async function post(ctx: Context, request: Post): Promise<EventRow | undefined> {
  const { caller, draft } = request
  if (!looksLikeId(draft.roomId)) throw roomNotFound()
  const placement = await findPlacement(ctx, request)
  const message = newMessage(ctx, request, placement)
  const appended = (await tryAtOnce(ctx, request, message)) ?? (await tryUnderLock(ctx, request, message))
  if (appended.seq === null) return undefined
  ctx.relay.wake(appended.entries)
  return toRow(caller, draft, message, appended.seq)
}

type Message = Posted & { placement: Placement; echoEventId: string | undefined }

async function findPlacement(ctx: Context, { caller, draft }: Post): Promise<Placement> {
  if (!isReply(draft)) return inChannel
  const room = await readable(ctx, caller, draft.roomId)
  const ids = [draft.threadRootEventId, draft.inReplyTo].filter(looksLikeId)
  return placeReply(draft, room, await findTargets(ctx.pool, draft.roomId, ids))
}

function newMessage(ctx: Context, { caller, draft }: Post, placement: Placement): Message {
  return {
    eventId: newId('event'),
    actorId: caller.userId,
    createdAt: ctx.now(),
    inReplyTo: placement.inReplyTo,
    threadRootEventId: placement.thread?.rootEventId ?? '',
    echoOfEventId: '',
    placement,
    echoEventId: draft.withEcho ? newId('event') : undefined,
  }
}

/** With the header in memory: one statement. Undefined when that header, or access, is not as it has to be. */
async function tryAtOnce(ctx: Context, request: Post, message: Message): Promise<Appended | undefined> {
  const { caller, draft } = request
  const room = await ctx.headers.get(draft.roomId)
  if (!room) throw roomNotFound()
  if (draft.attachmentAssetIds.length > 0 || draft.linkPreviewToken !== '') return undefined
  if (refusalOfPosting(ctx.policy(), caller, room, posting(draft, message))) return undefined
  const appended = await append(ctx, ctx.pool, room, request, message)
  return appended.met ? appended : undefined
}

/** With the room held still, after a look without a lock has found no reason to refuse. */
async function tryUnderLock(ctx: Context, request: Post, message: Message): Promise<Appended> {
  const { caller, draft } = request
  const look = async (on: Connection) => {
    const found = await findStanding(on, draft.roomId, caller.userId)
    return assertMayPost(ctx, request, message, found)
  }
  await look(ctx.pool)
  return await transaction(ctx.pool, async (on) => {
    await lockLine(on, draft.roomId)
    const appended = await append(ctx, on, await look(on), request, message)
    if (!appended.met) throw new Error('a room that is held still has changed')
    return appended
  })
}

function assertMayPost(
  ctx: Context,
  request: Post,
  message: Message,
  found: HeaderAndStanding | undefined,
): RoomHeader {
  const { caller, draft } = request
  if (!found) throw roomNotFound()
  ctx.headers.put(found.room)
  assertReads(ctx.policy(), caller, found.room, found.standing)
  const refusal = refusalOfPosting(ctx.policy(), caller, found.room, posting(draft, message))
  if (refusal) throw refusal
  const [attachment] = draft.attachmentAssetIds
  if (attachment !== undefined) throw unknownAttachment(attachment)
  if (draft.linkPreviewToken !== '') throw unknownLinkPreview()
  return found.room
}

async function readable(ctx: Context, caller: Subject, roomId: string): Promise<RoomHeader> {
  const found = await findStanding(ctx.pool, roomId, caller.userId)
  if (!found) throw roomNotFound()
  ctx.headers.put(found.room)
  assertReads(ctx.policy(), caller, found.room, found.standing)
  return found.room
}

const posting = (draft: Draft, message: Message): Posting => ({
  inThread: message.placement.thread !== undefined,
  withEcho: draft.withEcho,
  withAttachments: draft.attachmentAssetIds.length > 0,
})

function append(ctx: Context, on: Connection, room: RoomHeader, request: Post, message: Message): Promise<Appended> {
  const { caller, draft, key, digest } = request
  const { thread, inReplyTo } = message.placement
  const base = {
    roomId: room.roomId,
    version: room.version,
    authorId: caller.userId,
    openToAuthor: opensTo(ctx.policy(), caller, room),
    key,
    digest,
    eventId: message.eventId,
    createdAt: message.createdAt,
    body: draft.body,
    inReplyTo,
    entry: toPostedEntry(room, message, { markedAsRead: !thread }),
  }
  if (!thread) return appendMessage(on, base)
  const riders = {
    created: threadCreatedRider(room, message),
    authorFollows: threadFollowedRider(room, message, caller.userId),
    rootAuthorFollows: threadFollowedRider(room, message, thread.rootAuthorId),
  }
  return appendReply(on, { ...base, ...thread, riders, echo: echoOf(room, message) })
}

function echoOf(room: RoomHeader, message: Message) {
  if (!message.echoEventId) return undefined
  const eventId = message.echoEventId
  const echo = { ...message, eventId, inReplyTo: '', threadRootEventId: '', echoOfEventId: message.eventId }
  return { eventId, entry: toPostedEntry(room, echo, { markedAsRead: true }) }
}

function toRow(caller: Subject, draft: Draft, message: Message, seq: bigint): EventRow {
  const { eventId, createdAt, inReplyTo, threadRootEventId, echoEventId } = message
  return {
    seq,
    eventId,
    kind: 'message_posted',
    actorId: caller.userId,
    createdAt,
    updatedAt: null,
    deletedAt: null,
    body: draft.body,
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
  }
}

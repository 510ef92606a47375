import { newId } from '@parley/ids'
import type { Context } from '../../context.ts'
import { toMentionsFact, type FoundMentions } from '../../domain/mentions/mentioned.ts'
import { previewImageKey } from '../../domain/page-preview.ts'
import { isDm, type RoomHeader } from '../../domain/room-header.ts'
import { isImplicitMember } from '../../policy/room-access.ts'
import type { LockedLog } from '../../store/locked-log.ts'
import { findHeader } from '../../store/rooms.ts'
import type { Connection } from '../../store/statement.ts'
import {
  followAsMentioned,
  deleteUnresolved,
  readMentioningMessage,
  type MentioningMessage,
  type Unresolved,
} from '../../store/unresolved-mentions.ts'
import { toMentionsResolvedEvent } from '../../view/mentions-resolved-event.ts'
import { followerFields } from './new-post.ts'

/**
 * The announcement takes its own place in the log, and mentioned members follow the thread. Nothing is announced if the
 * message is retracted or another process has announced its mentions.
 */
export async function announceMentions(
  ctx: Pick<Context, 'policy' | 'writer'>,
  unresolved: Unresolved,
  mentioned: FoundMentions,
  signal: AbortSignal,
): Promise<void> {
  const { roomId, seq } = unresolved
  const change = async ({ on, pendingPlaces }: LockedLog) => {
    const roomSeq = await deleteUnresolved(on, unresolved)
    const room = await findHeader(on, roomId)
    const message = await readMentioningMessage(on, roomId, seq)
    if (roomSeq === undefined || !room || !message || message.deletedAt) return []
    const event = toMentionsResolvedEvent(room, {
      id: newId('event'),
      occurredAt: new Date(),
      roomSeq: roomSeq + pendingPlaces + 1n,
      messageSeq: seq,
      message: toPosted(message),
      details: toDetails(message, mentioned),
      newFollowerIds: await addFollowers(ctx, on, room, message, mentioned),
    })
    return [event]
  }
  const outcome = await ctx.writer.submit(roomId, { kind: 'change', change, signal })
  if (outcome.kind === 'refused') throw outcome.error
}

const toPosted = ({ eventId, actorId, createdAt, inReplyTo, threadRootEventId }: MentioningMessage) => ({
  eventId,
  actorId,
  createdAt,
  inReplyTo: inReplyTo ?? '',
  threadRootEventId: threadRootEventId ?? '',
  echoOfEventId: '',
})

function toDetails(message: MentioningMessage, mentioned: FoundMentions) {
  const mentions = toMentionsFact(mentioned)
  return {
    attachmentAssetIds: message.assetIds,
    linkPreviewImageKey: previewImageKey(message.linkPreview),
    ...(mentions && { mentions }),
    inReplyToAuthorId: message.inReplyToAuthorId ?? '',
    ...(message.threadRootEventId && followerFields(message.followerIds)),
  }
}

async function addFollowers(
  ctx: Pick<Context, 'policy'>,
  on: Connection,
  room: RoomHeader,
  { actorId, threadRootEventId }: MentioningMessage,
  mentioned: FoundMentions,
): Promise<string[]> {
  if (!threadRootEventId || isDm(room)) return []
  const others = mentioned.users.filter(({ userId }) => userId !== actorId)
  const users = others.map((user) => ({
    userId: user.userId,
    isImplicitMember: isImplicitMember(ctx.policy(), user, room),
  }))
  return followAsMentioned(on, { roomId: room.roomId, rootEventId: threadRootEventId }, users)
}

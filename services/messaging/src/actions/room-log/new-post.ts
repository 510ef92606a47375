import type { Context } from '../../context.ts'
import { toMentionsFact } from '../../domain/mentions/mentioned.ts'
import { maxFollowersInEvent, type ReplyThread } from '../../domain/placement.ts'
import { previewImageKey } from '../../domain/page-preview.ts'
import type { RoomHeader } from '../../domain/room-header.ts'
import { isImplicitMember } from '../../policy/room-access.ts'
import type { NewFollower, NewPost, NewReply } from '../../store/new-post.ts'
import {
  encodeThreadCreated,
  encodeThreadFollowed,
  toPostedEntry,
  type PostedDetails,
} from '../../view/posted-event.ts'
import type { Message } from './message.ts'

export function toNewPost(ctx: Context, room: RoomHeader, message: Message): NewPost {
  const { post, placement, parts, mentioned, eventId, createdAt, inReplyTo } = message
  const { caller, draft, key, digest } = post
  const { thread } = placement
  return {
    authorId: caller.userId,
    authorIsImplicitMember: isImplicitMember(ctx.policy(), caller, room),
    key,
    digest,
    eventId,
    createdAt,
    body: draft.body,
    inReplyTo,
    entry: toPostedEntry(room, message, { markedAsRead: !thread, details: toDetails(message) }),
    ...parts,
    mentionsPending: mentioned.pending,
    reply: thread && toNewReply(ctx, room, message, thread),
  }
}

function toDetails({ placement, parts, mentioned, actorId }: Message): PostedDetails {
  const mentions = toMentionsFact(mentioned)
  return {
    attachmentAssetIds: parts.attachments.map(({ assetId }) => assetId),
    linkPreviewImageKey: previewImageKey(parts.linkPreview ?? null),
    ...(mentions && { mentions }),
    mentionsPending: mentioned.pending,
    inReplyToAuthorId: placement.inReplyToAuthorId,
    ...(placement.thread && followerFields([...placement.thread.followerIds, actorId])),
  }
}

export function followerFields(followerIds: readonly string[]) {
  const threadFollowerIds = [...new Set(followerIds)]
  return threadFollowerIds.length > maxFollowersInEvent ? { manyThreadFollowers: true } : { threadFollowerIds }
}

function toNewReply(ctx: Context, room: RoomHeader, message: Message, thread: ReplyThread): NewReply {
  const { actorId, mentioned, echoEventId } = message
  const follower = (userId: string, why: NewFollower['why'], implicitMember: boolean): NewFollower => ({
    ...{ userId, why, isImplicitMember: implicitMember, followedDelivery: encodeThreadFollowed(room, message, userId) },
  })
  const others = mentioned.users.filter(({ userId }) => userId !== actorId)
  // The roles of the root's author are not known here.
  const rootAuthor = { userId: thread.rootAuthorId, roleIds: [] }
  return {
    rootEventId: thread.rootEventId,
    threadCreatedDelivery: encodeThreadCreated(room, message),
    followers: [
      follower(actorId, 'author', true),
      ...(rootAuthor.userId !== actorId
        ? [follower(rootAuthor.userId, 'root_author', isImplicitMember(ctx.policy(), rootAuthor, room))]
        : []),
      ...others.map((user) => follower(user.userId, 'mentioned', isImplicitMember(ctx.policy(), user, room))),
    ],
    echo: echoEventId === undefined ? undefined : toEcho(room, message, echoEventId),
  }
}

function toEcho(room: RoomHeader, message: Message, eventId: string) {
  const echo = { ...message, eventId, inReplyTo: '', threadRootEventId: '', echoOfEventId: message.eventId }
  return { eventId, entry: toPostedEntry(room, echo, { markedAsRead: true }) }
}

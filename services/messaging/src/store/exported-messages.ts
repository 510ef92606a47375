import { statement, type Connection } from './statement.ts'

export type ExportedMessage = {
  seq: bigint
  eventId: string
  authorId: string
  createdAt: Date
  updatedAt: Date | null
  deletedAt: Date | null
  body: string | null
  inReplyTo: string | null
  threadRootEventId: string | null
  alsoInChannel: boolean
  linkPreview: Uint8Array | null
}

const messages = statement<ExportedMessage>(
  'export_messages',
  `select seq, event_id as "eventId", actor_id as "authorId", created_at as "createdAt", updated_at as "updatedAt",
  deleted_at as "deletedAt", body, in_reply_to as "inReplyTo", thread_root_event_id as "threadRootEventId",
  channel_echo_event_id is not null as "alsoInChannel", link_preview as "linkPreview"
from room_events
where room_id = $1 and seq > $2 and kind = 'message_posted' and echo_of_event_id is null
order by seq limit $3`,
)

/** Messages in the order of the log, without echoes. */
export const exportMessages = (
  on: Connection,
  roomId: string,
  after: bigint,
  limit: number,
): Promise<ExportedMessage[]> => messages.run(on, [roomId, after, limit])

export type ReactionCount = { seq: bigint; count: number }

const reactionCounts = statement<ReactionCount>(
  'export_reaction_counts',
  `select seq, sum(count)::int as count from reaction_tallies where room_id = $1 and seq = any ($2::bigint[]) group by seq`,
)

export const countReactions = (on: Connection, roomId: string, seqs: readonly bigint[]): Promise<ReactionCount[]> =>
  reactionCounts.run(on, [roomId, seqs])

export type ExportedReaction = { seq: bigint; emoji: string; userId: string }

const reactions = statement<ExportedReaction>(
  'export_reactions',
  `select r.seq, r.emoji, r.user_id as "userId"
from reactions r
left join reaction_tallies t on t.room_id = r.room_id and t.seq = r.seq and t.emoji = r.emoji
where r.room_id = $1 and r.seq = any ($2::bigint[])
order by r.seq, t.since, r.emoji, r.created_at, r.user_id
offset $3 limit $4`,
)

/** Emojis in display order, users by time. */
export const exportReactions = (
  on: Connection,
  roomId: string,
  seqs: readonly bigint[],
  { offset, limit }: { offset: number; limit: number },
): Promise<ExportedReaction[]> => reactions.run(on, [roomId, seqs, offset, limit])

export type ExportedAttachment = {
  seq: bigint
  assetId: string
  filename: string
  contentType: string
  size: bigint
  width: number
  height: number
}

const attachments = statement<ExportedAttachment>(
  'export_attachments',
  `select seq, asset_id as "assetId", filename, content_type as "contentType", size, width, height
from message_attachments where room_id = $1 and seq = any ($2::bigint[])
order by seq, position`,
)

export const exportAttachments = (
  on: Connection,
  roomId: string,
  seqs: readonly bigint[],
): Promise<ExportedAttachment[]> => attachments.run(on, [roomId, seqs])

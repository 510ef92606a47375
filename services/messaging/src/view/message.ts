import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MessageSchema, ThreadSummarySchema } from '@parley/contracts/api'
import type { EventRow } from '../domain/event-row.ts'
import { toAttachment } from './attachment.ts'
import { toLinkPreview } from './link-preview.ts'
import { toReaction } from './reaction.ts'
import type { Viewing } from './viewing.ts'

/** A message as the reader sees it. A retracted message is a placeholder that keeps only its place and thread. */
export function toMessage(viewing: Viewing, row: EventRow): MessageInitShape<typeof MessageSchema> {
  return {
    id: row.eventId,
    roomId: viewing.roomId,
    createdAt: timestampFromDate(row.createdAt),
    actorId: row.actorId,
    ...(row.deletedAt === null && toContent(viewing, row)),
    ...(row.updatedAt && { updatedAt: timestampFromDate(row.updatedAt) }),
    inReplyTo: row.inReplyTo ?? '',
    threadRootEventId: row.threadRootEventId ?? '',
    echoOfEventId: row.echoOfEventId ?? '',
    echoFromThreadRootEventId: row.echoFromThreadRootEventId ?? '',
    channelEchoEventId: row.channelEchoEventId ?? '',
    ...(row.threadRootEventId === null && { thread: toThreadSummary(row) }),
    ...(row.deletedAt && { deletedAt: timestampFromDate(row.deletedAt) }),
  }
}

const toContent = (viewing: Viewing, { body, attachments, linkPreview, reactions }: EventRow) => ({
  ...(body && { body }),
  attachments: (attachments ?? []).map((attached) => toAttachment(viewing, attached)),
  ...(linkPreview && { linkPreview: toLinkPreview(viewing.assets, linkPreview) }),
  reactions: (reactions ?? []).map(toReaction),
})

/** How many participants of a thread a summary names. */
const participantsShown = 5

export const shownParticipants = (row: Pick<EventRow, 'participantIds'>): string[] =>
  row.participantIds?.slice(0, participantsShown) ?? []

/** The summary of the thread that starts with a row; an echo starts none. */
export function toThreadSummary(row: EventRow, hasUnread?: boolean): MessageInitShape<typeof ThreadSummarySchema> {
  return {
    threadRootEventId: row.eventId,
    replyCount: row.replyCount ?? 0,
    ...(row.lastReplyAt && { lastReplyAt: timestampFromDate(row.lastReplyAt) }),
    participantPreviewUserIds: shownParticipants(row),
    participantCount: row.participantIds?.length ?? 0,
    viewerState: { isFollowing: row.isFollowing ?? false, ...(hasUnread !== undefined && { hasUnread }) },
  }
}

import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MessageSchema, ThreadSummarySchema } from '@parley/contracts/api'
import type { EventRow } from '../domain/event-row.ts'
import { toAttachment } from './attachment.ts'
import { toLinkPreview } from './link-preview.ts'
import { toReaction } from './reaction.ts'
import type { ViewContext } from './view-context.ts'

/**
 * An echo names the reply that it repeats (`echoOfEventId`) and the root of the reply's thread
 * (`echoFromThreadRootEventId`). A reply that has an echo names the echo (`channelEchoEventId`).
 */
export function toMessage(viewContext: ViewContext, row: EventRow): MessageInitShape<typeof MessageSchema> {
  return {
    id: row.eventId,
    roomId: viewContext.roomId,
    createdAt: timestampFromDate(row.createdAt),
    actorId: row.actorId,
    ...(row.deletedAt === null && toContent(viewContext, row)),
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

const toContent = (viewContext: ViewContext, { body, attachments, linkPreview, reactions }: EventRow) => ({
  ...(body && { body }),
  attachments: (attachments ?? []).map((attached) => toAttachment(viewContext, attached)),
  ...(linkPreview && { linkPreview: toLinkPreview(viewContext.assets, linkPreview) }),
  reactions: (reactions ?? []).map(toReaction),
})

const maxParticipantsShown = 5

export const shownParticipants = (row: Pick<EventRow, 'participantIds'>): string[] =>
  row.participantIds?.slice(0, maxParticipantsShown) ?? []

/** Summary of the thread that starts here. An echo starts no thread, so its summary shows no replies. */
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

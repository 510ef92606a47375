import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { countFitting, pageBytes } from '../../domain/page-bytes.ts'
import { decodePreview } from '../../domain/page-preview.ts'
import { roomNotFound } from '../../errors.ts'
import * as store from '../../store/exported-messages.ts'
import { findLogSummary } from '../../store/imports.ts'

const maxMessages = 500
/** Approximate sizes in a response, in bytes: a reaction, and an attachment without its texts. */
const [reactionBytes, attachmentBytes] = [20, 64]
/**
 * Reactions per response, enough for every page of several messages. Only a message that is alone on its page can have
 * more; further calls for that message return the remaining reactions.
 */
const maxReactions = Math.ceil(pageBytes / reactionBytes)

export function exportMessages(ctx: Context): MethodImpl<typeof MessagingTransferService.method.exportMessages> {
  return async ({ roomId, after, skippedReactions }) => {
    const found = await store.exportMessages(ctx.pool, roomId, after, skippedReactions > 0 ? 1 : maxMessages)
    if (found.length === 0 && !(await findLogSummary(ctx.pool, roomId))) throw roomNotFound()
    const [counts, attachments] = await Promise.all([
      store.countReactions(ctx.pool, roomId, seqsOfUndeleted(found)).then(bySeq),
      store.exportAttachments(ctx.pool, roomId, seqsOfUndeleted(found)).then(bySeq),
    ])
    const reactionsOf = (seq: bigint): number => counts.get(seq)?.[0]?.count ?? 0
    const sizes = found.map((row) => bytesOf(row, reactionsOf(row.seq), attachments.get(row.seq) ?? []))
    const rows = found.slice(0, countFitting(maxMessages, sizes))
    const limits = { offset: skippedReactions, limit: maxReactions }
    const reactions = bySeq(await store.exportReactions(ctx.pool, roomId, seqsOfUndeleted(rows), limits))
    return {
      messages: rows.map((row) => ({
        eventId: row.eventId,
        roomSeq: row.seq,
        authorId: row.authorId,
        createdAt: timestampFromDate(row.createdAt),
        ...(row.updatedAt && { updatedAt: timestampFromDate(row.updatedAt) }),
        ...(row.deletedAt && { deletedAt: timestampFromDate(row.deletedAt) }),
        body: row.deletedAt === null ? (row.body ?? '') : '',
        threadRootEventId: row.threadRootEventId ?? '',
        inReplyTo: row.inReplyTo ?? '',
        alsoInChannel: row.alsoInChannel,
        reactions: byEmoji(reactions.get(row.seq) ?? []),
        moreReactions: rows.length === 1 && reactionsOf(row.seq) > skippedReactions + maxReactions,
        attachments: attachments.get(row.seq) ?? [],
        ...(row.linkPreview && row.deletedAt === null && { linkPreview: decodePreview(row.linkPreview) }),
      })),
    }
  }
}

const seqsOfUndeleted = (rows: readonly store.ExportedMessage[]): bigint[] =>
  rows.flatMap(({ seq, deletedAt }) => (deletedAt === null ? seq : []))

function bytesOf(
  { body, linkPreview }: store.ExportedMessage,
  reactions: number,
  attachments: readonly store.ExportedAttachment[],
): number {
  const texts = [body ?? '', ...attachments.flatMap(({ filename, contentType }) => [filename, contentType])]
  const fixed = (linkPreview?.length ?? 0) + reactions * reactionBytes + attachments.length * attachmentBytes
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), fixed)
}

function byEmoji(reactions: readonly store.ExportedReaction[]): { emoji: string; userIds: string[] }[] {
  return [...Map.groupBy(reactions, ({ emoji }) => emoji)].map(([emoji, users]) => {
    return { emoji, userIds: users.map(({ userId }) => userId) }
  })
}

const bySeq = <T extends { seq: bigint }>(rows: readonly T[]): Map<bigint, T[]> => Map.groupBy(rows, ({ seq }) => seq)

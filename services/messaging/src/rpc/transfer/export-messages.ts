import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { countFitting, pageBytes } from '../../domain/page-bytes.ts'
import { decodePreview } from '../../domain/page-preview.ts'
import { roomNotFound } from '../../errors.ts'
import * as store from '../../store/exported-messages.ts'
import { findLine } from '../../store/imports.ts'

const atOnce = 500
/** Size of a reaction and an attachment in a response, without their texts, in bytes. */
const [reactionBytes, attachmentBytes] = [20, 64]
/** More reactions than fit a page: only a message that is alone on its page can have as many, and the rest follow later. */
const reactionsAtOnce = Math.ceil(pageBytes / reactionBytes)

export function exportMessages(ctx: Context): MethodImpl<typeof MessagingTransferService.method.exportMessages> {
  return async ({ roomId, after, skippedReactions }) => {
    const found = await store.exportMessages(ctx.pool, roomId, after, skippedReactions > 0 ? 1 : atOnce)
    if (found.length === 0 && !(await findLine(ctx.pool, roomId))) throw roomNotFound()
    const [counts, attachments] = await Promise.all([
      store.countReactions(ctx.pool, roomId, seqsOf(found)).then(bySeq),
      store.exportAttachments(ctx.pool, roomId, seqsOf(found)).then(bySeq),
    ])
    const reactionsOf = (seq: bigint): number => counts.get(seq)?.[0]?.count ?? 0
    const sizes = found.map((row) => bytesOf(row, reactionsOf(row.seq), attachments.get(row.seq) ?? []))
    const rows = found.slice(0, countFitting(atOnce, sizes))
    const limits = { offset: skippedReactions, limit: reactionsAtOnce }
    const reactions = bySeq(await store.exportReactions(ctx.pool, roomId, seqsOf(rows), limits))
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
        moreReactions: rows.length === 1 && reactionsOf(row.seq) > skippedReactions + reactionsAtOnce,
        attachments: attachments.get(row.seq) ?? [],
        ...(row.linkPreview && row.deletedAt === null && { linkPreview: decodePreview(row.linkPreview) }),
      })),
    }
  }
}

/** Deleted messages are exported without reactions and attachments. */
const seqsOf = (rows: readonly store.ExportedMessage[]): bigint[] =>
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
  return [...grouped(reactions, ({ emoji }) => emoji)].map(([emoji, people]) => {
    return { emoji, userIds: people.map(({ userId }) => userId) }
  })
}

const bySeq = <T extends { seq: bigint }>(rows: readonly T[]): Map<bigint, T[]> => grouped(rows, ({ seq }) => seq)

function grouped<K, T>(rows: readonly T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

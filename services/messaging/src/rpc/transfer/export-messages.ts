import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { decodePreview } from '../../domain/page-preview.ts'
import { roomNotFound } from '../../errors.ts'
import * as store from '../../store/exported-messages.ts'
import { findLine } from '../../store/imports.ts'

const atOnce = 500

export function exportMessages(ctx: Context): MethodImpl<typeof MessagingTransferService.method.exportMessages> {
  return async ({ roomId, after }) => {
    const rows = await store.exportMessages(ctx.pool, roomId, after, atOnce)
    if (rows.length === 0 && !(await findLine(ctx.pool, roomId))) throw roomNotFound()
    const seqs = rows.flatMap(({ seq, deletedAt }) => (deletedAt === null ? seq : []))
    const [reactions, attachments] = await Promise.all([
      store.exportReactions(ctx.pool, roomId, seqs).then(bySeq),
      store.exportAttachments(ctx.pool, roomId, seqs).then(bySeq),
    ])
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
        reactions: reactions.get(row.seq) ?? [],
        attachments: attachments.get(row.seq) ?? [],
        ...(row.linkPreview && row.deletedAt === null && { linkPreview: decodePreview(row.linkPreview) }),
      })),
    }
  }
}

function bySeq<T extends { seq: bigint }>(rows: readonly T[]): Map<bigint, T[]> {
  const grouped = new Map<bigint, T[]>()
  for (const row of rows) {
    const group = grouped.get(row.seq)
    if (group) group.push(row)
    else grouped.set(row.seq, [row])
  }
  return grouped
}

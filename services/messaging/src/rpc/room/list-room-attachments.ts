import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { readPageRequest, cutPage } from '../../domain/page.ts'
import { cursorInvalid, roomNotFound } from '../../errors.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import { assertMayRead } from '../../policy/room-access.ts'
import {
  listRoomAttachments as listAttachments,
  type AttachmentKey,
  type AttachmentCursor,
} from '../../store/room-attachments.ts'
import { thumbnailSize, toRoomAttachment } from '../../view/room-attachment.ts'

const limits = { defaultLimit: 50, maxLimit: 100 }

export function listRoomAttachments(ctx: Context): MethodImpl<typeof RoomService.method.listRoomAttachments> {
  return async ({ roomId, thumbnail, page: request }, call) => {
    const caller = callerOf(call)
    const { limit, rowsToRead, offset, cursor } = readPageRequest(request, limits)
    const after = cursor === '' ? undefined : keyOf(cursor)
    const reader = { roomId, userId: caller.userId }
    const found = looksLikeId(roomId)
      ? await ctx.reads.run(
          () => listAttachments(ctx.pool, reader, { limit: rowsToRead, offset, after }),
          caller.userId,
        )
      : undefined
    if (!found) throw roomNotFound()
    assertMayRead(ctx.policy(), caller, found.access.room, found.access.standing)
    const { total } = found
    const { shown, page } = cutPage(found.attachments, { limit, total, cursorOf: cursorOf(total) })
    const viewContext = viewContextOf(ctx, caller, roomId)
    const size = thumbnailSize(thumbnail)
    return { attachments: shown.map((row) => toRoomAttachment(viewContext, row, size)), page }
  }
}

/** A cursor contains the total, so that attachments are counted only for the first page. */
const cursorOf =
  (total: bigint) =>
  ({ seq, position }: AttachmentKey): string =>
    encodeCursor([seq, position, total])

function keyOf(cursor: string): AttachmentCursor {
  const [seq = '', position = '', total = '', ...rest] = decodeCursor(cursor)
  const isWellFormed = /^\d{1,18}$/.test(seq) && /^\d{1,4}$/.test(position) && /^\d{1,18}$/.test(total)
  if (!isWellFormed || rest.length > 0) throw cursorInvalid()
  return { seq: BigInt(seq), position: Number(position), total: BigInt(total) }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { pageOf, shownOf } from '../../domain/page.ts'
import { cursorInvalid, roomNotFound } from '../../errors.ts'
import { viewingAs } from '../../actions/room-log/viewing.ts'
import { assertReads } from '../../policy/room-access.ts'
import {
  listRoomAttachments as listAttachments,
  type AttachmentKey,
  type AttachmentPlace,
} from '../../store/room-attachments.ts'
import { thumbnailSize, toRoomAttachment } from '../../view/room-attachment.ts'

const limits = { defaultLimit: 50, maxLimit: 100 }

export function listRoomAttachments(ctx: Context): MethodImpl<typeof RoomService.method.listRoomAttachments> {
  return async ({ roomId, thumbnail, page: request }, call) => {
    const caller = callerOf(call)
    const { limit, wanted, offset, cursor } = pageOf(request, limits)
    const after = cursor === '' ? undefined : keyOf(cursor)
    const reader = { roomId, userId: caller.userId }
    const found = looksLikeId(roomId)
      ? await ctx.reads.run(() => listAttachments(ctx.pool, reader, { limit: wanted, offset, after }), caller.userId)
      : undefined
    if (!found) throw roomNotFound()
    assertReads(ctx.policy(), caller, found.access.room, found.access.standing)
    const { total } = found
    const { shown, page } = shownOf(found.attachments, { limit, total, cursorOf: cursorOf(total) })
    const viewing = viewingAs(ctx, caller, roomId)
    const size = thumbnailSize(thumbnail)
    return { attachments: shown.map((row) => toRoomAttachment(viewing, row, size)), page }
  }
}

const cursorOf =
  (total: bigint) =>
  ({ seq, position }: AttachmentKey): string =>
    encodeCursor([seq, position, total])

function keyOf(cursor: string): AttachmentPlace {
  const [seq = '', position = '', total = '', ...rest] = decodeCursor(cursor)
  const numbers = /^\d{1,18}$/.test(seq) && /^\d{1,4}$/.test(position) && /^\d{1,18}$/.test(total)
  if (!numbers || rest.length > 0) throw cursorInvalid()
  return { seq: BigInt(seq), position: Number(position), total: BigInt(total) }
}

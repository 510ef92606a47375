import { createHash } from 'node:crypto'
import { toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, type MethodImpl } from '@connectrpc/connect'
import { CreateMessageRequestSchema, type MessageService } from '@parley/contracts/api'
import { callerOf, idempotencyKeyOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { draftMessage, hasParts } from '../../domain/draft.ts'
import type { EventRow } from '../../domain/event-row.ts'
import { keyReused, messageNotFound, unknownAttachment } from '../../errors.ts'
import { post } from '../../actions/room-log/post.ts'
import { viewingAs } from '../../actions/room-log/viewing.ts'
import { countPosted, countReplayed } from '../../metrics.ts'
import { findMessageKey } from '../../store/message-keys.ts'
import { findOwnMessage } from '../../store/messages.ts'
import { toMessage } from '../../view/message.ts'

export function createMessage(ctx: Context): MethodImpl<typeof MessageService.method.createMessage> {
  return async (request, call) => {
    const caller = callerOf(call)
    const key = idempotencyKeyOf(call)
    const digest = createHash('sha256').update(toBinary(CreateMessageRequestSchema, request)).digest()
    // What was posted under the key is the answer, whatever would stand against posting it now.
    const earlier = async () => (key === undefined ? undefined : findEarlier(ctx, caller.userId, key, digest))
    const answer = (roomId: string, row: EventRow) => ({ message: toMessage(viewingAs(ctx, caller, roomId), row) })
    const replay = (found: Earlier) => {
      call.responseHeader.set('Idempotency-Replayed', 'true')
      countReplayed()
      return answer(found.roomId, found.row)
    }
    try {
      const draft = draftMessage(request)
      const row = await post(ctx, { caller, draft, key, digest, signal: call.signal })
      if (row) {
        countPosted()
        return answer(request.roomId, hasParts(draft) ? await withParts(ctx, request.roomId, row) : row)
      }
    } catch (error) {
      const found = isRefusal(error) ? await earlier() : undefined
      if (!found) throw error
      return replay(found)
    }
    const found = await earlier()
    if (found) return replay(found)
    const [file] = request.attachmentAssetIds
    throw file === undefined ? messageNotFound() : unknownAttachment(file)
  }
}

/** The message as it is stored, with what it shows besides its text. */
const withParts = async (ctx: Context, roomId: string, row: EventRow): Promise<EventRow> =>
  (await findOwnMessage(ctx.pool, roomId, row.actorId, row.eventId)) ?? row

type Earlier = { roomId: string; row: EventRow }

const isRefusal = (error: unknown): boolean => error instanceof ConnectError && error.code !== Code.Unavailable

/** The message that the key stands for. Throws invalid_argument when another request used it. */
async function findEarlier(ctx: Context, callerId: string, key: string, digest: Buffer): Promise<Earlier | undefined> {
  const used = await findMessageKey(ctx.pool, callerId, key)
  if (!used) return undefined
  if (!digest.equals(used.digest)) throw keyReused()
  const row = await findOwnMessage(ctx.pool, used.roomId, callerId, used.eventId)
  return row && { roomId: used.roomId, row }
}

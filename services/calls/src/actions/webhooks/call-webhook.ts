import type { Call } from '../../domain/call.ts'
import { changeLockedCall, mediaRoomOf } from '../calls/change-call.ts'
import type { Context, Media } from '../../context.ts'
import { lockCall, type CallRow } from '../../store/calls.ts'
import { listErased } from '../../store/erased.ts'
import { insertChores } from '../../store/media-chores.ts'
import { recordWebhook } from '../../store/webhooks.ts'

export type CallWebhook = { ctx: Context; media: Media; call: CallRow; webhookId: string }

/** `duplicate`: handled before; `erased`: the webhook concerns a deleted account; `ended`: the call is over. */
export type Outcome<T> = 'duplicate' | 'erased' | 'ended' | { result: T }

export async function applyOnce<T>(
  { ctx, call: { id }, webhookId }: CallWebhook,
  userIds: readonly string[],
  change: (call: Call) => T,
): Promise<Outcome<T>> {
  return ctx.db.transaction(async (tx): Promise<Outcome<T>> => {
    if (!(await recordWebhook(tx, webhookId, ctx.now()))) return 'duplicate'
    // Webhooks may be late: store nothing about an erased account.
    if ((await listErased(tx, userIds)).length > 0) return 'erased'
    const row = await lockCall(tx, id)
    if (!row || row.endedAt !== null) return 'ended'
    return { result: await changeLockedCall(ctx, tx, row, { source: 'livekit', userIds }, change) }
  })
}

/** Queues the removal of the user from the room at the media server; if `userId` is null, queues the room's closing. */
export async function queueMediaChore({ ctx, media, call }: CallWebhook, userId: string | null): Promise<void> {
  const chore = { mediaRoom: mediaRoomOf(media, call), userId }
  await ctx.db.transaction((tx) => insertChores(tx, [chore], ctx.now()))
}

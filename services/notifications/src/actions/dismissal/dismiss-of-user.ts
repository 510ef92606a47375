import type { Context } from '../../context.ts'
import { shardsOf } from '../../domain/shards.ts'
import { dismiss, ofUser, withId } from '../../store/dismissals.ts'
import { lockShards } from '../../store/shards.ts'
import { announceDismissed } from './announce-dismissed.ts'

/** Without `id`, dismisses all notifications of the user, in batches. Returns how many were pending. */
export async function dismissOfUser(ctx: Context, userId: string, id?: string): Promise<number> {
  const selected = id === undefined ? ofUser(userId) : withId(userId, id)
  for (let count = 0; ;) {
    const at = ctx.now()
    const part = await ctx.db.transaction(async (tx) => {
      await lockShards(tx, shardsOf([userId]))
      const { dismissed, more } = await dismiss(tx, selected, at)
      return { count: dismissed.length, more, entries: await announceDismissed(tx, dismissed, at) }
    })
    ctx.relay.wake(part.entries)
    count += part.count
    if (!part.more) return count
  }
}

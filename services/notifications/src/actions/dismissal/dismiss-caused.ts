import type { Context } from '../../context.ts'
import { allShards } from '../../domain/shards.ts'
import { causedBy, dismiss } from '../../store/dismissals.ts'
import { lockShards } from '../../store/shards.ts'
import { announceDismissed } from './announce-dismissed.ts'

/** Works in batches; returns how many notifications were pending. */
export async function dismissCausedBy(
  { db, relay, now }: Pick<Context, 'db' | 'relay' | 'now'>,
  actorId: string,
): Promise<number> {
  for (let count = 0; ;) {
    const at = now()
    const part = await db.transaction(async (tx) => {
      await lockShards(tx, allShards)
      const { dismissed, more } = await dismiss(tx, causedBy(actorId), at)
      return { count: dismissed.length, more, entries: await announceDismissed(tx, dismissed, at) }
    })
    relay.wake(part.entries)
    count += part.count
    if (!part.more) return count
  }
}

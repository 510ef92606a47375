import type { NotificationLevel } from '@parley/contracts/api'
import { enqueue } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { storedLevel } from '../../domain/levels.ts'
import { findLevels, raiseLevelsVersion, storeLevel, getLevelsVersion } from '../../store/notification-levels.ts'
import { toLevelEvent } from '../../view/level-event.ts'
import { toPreference } from '../../view/preferences.ts'

/**
 * Stores a level for a room, or for the server if `roomId` is empty, and announces a change. Messaging is usually
 * informed first, because clients read unread rooms from it as soon as they receive the event.
 */
export async function changeLevel(ctx: Context, target: { userId: string; roomId: string }, level: NotificationLevel) {
  const { userId, roomId } = target
  const stored = storedLevel(level)
  const at = ctx.now()
  const announce = async (tx: Tx, heldByMessaging?: bigint) => {
    const version = await raiseLevelsVersion(tx, userId, heldByMessaging)
    const levels = await findLevels(tx, userId, roomId)
    const preference = toPreference(levels, roomId)
    const cleared = !levels.some((row) => row.roomId === roomId)
    const event = toLevelEvent({ ...target, ...preference, version, at, cleared })
    return { preference, version, entries: await enqueue(tx, event) }
  }
  const { preference, version, entries } = await ctx.db.transaction(async (tx) => {
    if (await storeLevel(tx, target, stored)) return await announce(tx)
    const preference = toPreference(await findLevels(tx, userId, roomId), roomId)
    return { preference, version: await getLevelsVersion(tx, userId), entries: [] }
  })
  // An unchanged level is applied too: this database may have been restored, while messaging still has a newer level.
  const held = await ctx.applyLevel({ ...target, level: preference.level, version })
  ctx.relay.wake(entries)
  if (held === undefined) return preference
  // The level was changed concurrently, or this database was restored and messaging has a newer level.
  const again = await ctx.db.transaction((tx) => announce(tx, held))
  await ctx.applyLevel({ ...target, level: again.preference.level, version: again.version })
  ctx.relay.wake(again.entries)
  return preference
}

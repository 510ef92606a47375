import type { NotificationLevel } from '@parley/contracts/api'
import { enqueue } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { storedLevel } from '../../domain/levels.ts'
import { findLevels, raisePreferences, storeLevel, versionOf } from '../../store/notification-levels.ts'
import { toLevelEvent } from '../../view/level-event.ts'
import { toPreference } from '../../view/preferences.ts'

/**
 * Stores a level for a room, or for the server when the room is empty, and tells of it when it is another than before:
 * messaging first, which clients ask what is unread as soon as they hear of the choice.
 */
export async function changeLevel(ctx: Context, whose: { userId: string; roomId: string }, level: NotificationLevel) {
  const { userId, roomId } = whose
  const stored = storedLevel(level)
  const at = ctx.now()
  const tell = async (tx: Tx, above?: bigint) => {
    const version = await raisePreferences(tx, userId, above)
    const levels = await findLevels(tx, userId, roomId)
    const preference = toPreference(levels, roomId)
    const cleared = !levels.some((row) => row.roomId === roomId)
    const event = toLevelEvent({ ...whose, ...preference, version, at, cleared })
    return { preference, version, entries: await enqueue(tx, event) }
  }
  const { preference, version, entries } = await ctx.db.transaction(async (tx) => {
    if (await storeLevel(tx, whose, stored)) return await tell(tx)
    const preference = toPreference(await findLevels(tx, userId, roomId), roomId)
    return { preference, version: await versionOf(tx, userId), entries: [] }
  })
  // A choice made before is told too: this database may have lost another one since, which messaging goes by.
  const held = await ctx.applyLevel({ ...whose, level: preference.level, version })
  ctx.relay.wake(entries)
  if (held === undefined) return preference
  // Another choice came meanwhile, or this database was restored and messaging holds a level that it has lost.
  const again = await ctx.db.transaction((tx) => tell(tx, held))
  await ctx.applyLevel({ ...whose, level: again.preference.level, version: again.version })
  ctx.relay.wake(again.entries)
  return preference
}

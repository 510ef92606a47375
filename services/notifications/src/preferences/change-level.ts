import type { NotificationLevel } from '@parley/contracts/api'
import { enqueue } from '@parley/events'
import type { Context } from '../context.ts'
import { storedLevel } from '../domain/levels.ts'
import { findLevels, raisePreferences, storeLevel } from '../store/notification-levels.ts'
import { toLevelEvent } from '../view/level-event.ts'
import { toPreference } from '../view/preferences.ts'

/**
 * Stores a level for a room, or for the server when the room is empty, and tells of it when it is another than before:
 * messaging first, which clients ask what is unread as soon as they hear of the choice.
 */
export async function changeLevel(ctx: Context, whose: { userId: string; roomId: string }, level: NotificationLevel) {
  const { userId, roomId } = whose
  const stored = storedLevel(level)
  const at = ctx.now()
  const { preference, version, entries } = await ctx.db.transaction(async (tx) => {
    const changed = await storeLevel(tx, whose, stored)
    const version = changed ? await raisePreferences(tx, userId) : undefined
    const preference = toPreference(await findLevels(tx, userId, roomId), roomId)
    if (version === undefined) return { preference, version, entries: [] }
    const event = toLevelEvent({ ...whose, ...preference, version, at, cleared: stored === undefined })
    return { preference, version, entries: await enqueue(tx, event) }
  })
  if (version !== undefined) await ctx.applyLevel({ ...whose, level: preference.level, version })
  ctx.relay.wake(entries)
  return preference
}

import type { Context } from '../../context.ts'
import { endStanding } from './end-standing.ts'
import { eraseRowsOf, roomsWithStanding } from '../../store/erased-people.ts'

const roomsAtOnce = 50

/** Takes a deleted person out of every room, each room by its log, and deletes what rooms keeps of them besides. */
export const erasePerson =
  (ctx: Context) =>
  async (userId: string, signal: AbortSignal): Promise<number> => {
    let found = 0
    for (;;) {
      const roomIds = await roomsWithStanding(ctx.db, userId, roomsAtOnce)
      if (roomIds.length === 0) break
      for (const roomId of roomIds) {
        signal.throwIfAborted()
        await endStanding(ctx, roomId, userId)
      }
      found += roomIds.length
    }
    return found + (await eraseRowsOf(ctx.db, userId, signal))
  }

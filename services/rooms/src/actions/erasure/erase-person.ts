import type { Context } from '../../context.ts'
import { endStanding } from './end-standing.ts'
import { eraseRowsOf, findRoomsWithStanding } from '../../store/erased-people.ts'

const roomsPerPage = 50

/** Returns the number of rooms and rows found; 0 if nothing was left. */
export const erasePerson =
  (ctx: Context) =>
  async (userId: string, signal: AbortSignal): Promise<number> => {
    let found = 0
    for (;;) {
      const roomIds = await findRoomsWithStanding(ctx.db, userId, roomsPerPage)
      if (roomIds.length === 0) break
      for (const roomId of roomIds) {
        signal.throwIfAborted()
        await endStanding(ctx, roomId, userId)
      }
      found += roomIds.length
    }
    return found + (await eraseRowsOf(ctx.db, userId, signal))
  }

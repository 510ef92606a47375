import type { MethodImpl } from '@connectrpc/connect'
import type { RoomStanding, RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findHeads, findStandings } from '../../store/access.ts'
import { toRoomHeader, toRoomStanding } from '../../view/access.ts'

/** One picture of one moment: standings and headers must not contradict each other. */
const oneMoment = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const

export function openSockets(ctx: Context): MethodImpl<typeof RoomsInternalService.method.openSockets> {
  return async ({ userIds }) => {
    const { standings, heads } = await ctx.db.transaction(async (tx) => {
      const standings = await findStandings(tx, userIds)
      const heads = await findHeads(tx, [...new Set(standings.map(({ roomId }) => roomId))])
      return { standings, heads }
    }, oneMoment)
    const kinds = new Map(heads.map(({ id, kind }) => [id, kind]))
    const byUser = new Map<string, RoomStanding[]>(userIds.map((userId) => [userId, []]))
    for (const row of standings) {
      const kind = kinds.get(row.roomId)
      if (kind !== undefined) byUser.get(row.userId)?.push(toRoomStanding(row, kind))
    }
    const entries = userIds.map((userId) => ({ userId, standings: byUser.get(userId) ?? [] }))
    return { entries, rooms: heads.map(toRoomHeader) }
  }
}

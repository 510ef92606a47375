import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService, RoomStanding } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { listStandings, type StandingPlace } from '../../store/access.ts'
import { toRoomStanding } from '../../view/access.ts'

/** Earlier releases of realtime send no limit and expect one page. */
const noLimit = 1_000_000_000

export function openSockets(ctx: Context): MethodImpl<typeof RoomsInternalService.method.openSockets> {
  return async ({ userIds, after, limit }) => {
    const pageSize = limit || noLimit
    const rows = await listStandings(ctx.db, userIds, { after, limit: pageSize + 1 })
    const page = rows.slice(0, pageSize)
    const byUser = new Map<string, RoomStanding[]>()
    for (const row of page) {
      const standings = byUser.get(row.userId) ?? []
      byUser.set(row.userId, standings)
      standings.push(toRoomStanding(row))
    }
    const entries = [...byUser].map(([userId, standings]) => ({ userId, standings }))
    const last = rows.length > pageSize ? page.at(-1) : undefined
    return { entries, ...(last && { next: placeOf(last) }) }
  }
}

const placeOf = ({ userId, roomId }: StandingPlace): StandingPlace => ({ userId, roomId })

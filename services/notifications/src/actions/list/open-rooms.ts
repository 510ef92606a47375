import type { Caller } from '@parley/credentials'
import type { RoomHeader } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { insertJobs } from '../../store/jobs.ts'
import { listPendingRooms, type PendingRoom } from '../../store/pending.ts'

/** Rooms with pending notifications that the caller may read, with their headers. */
export type OpenRooms = { pending: readonly PendingRoom[]; rooms: ReadonlyMap<string, RoomHeader> }

/**
 * Rooms with pending notifications of the caller. Rooms that the caller can no longer read are left out, and their
 * notifications will be dismissed.
 */
export async function findOpenRooms(ctx: Context, caller: Caller): Promise<OpenRooms> {
  return filterOpenRooms(ctx, caller, await listPendingRooms(ctx.db, caller.userId))
}

/** `findOpenRooms` for rooms with pending notifications that are already known. */
export async function filterOpenRooms(ctx: Context, caller: Caller, all: readonly PendingRoom[]): Promise<OpenRooms> {
  const { userId } = caller
  const rooms = await ctx.rooms.accessible(
    caller,
    all.map((one) => one.roomId),
  )
  const closed = all.filter((one) => !rooms.has(one.roomId))
  if (closed.length > 0) {
    const dismissals = closed.map(
      ({ roomId, lastRoomSeq }) => ({ of: 'place', userId, roomId, roomSeq: String(lastRoomSeq) }) as const,
    )
    await insertJobs(ctx.db, dismissals)
  }
  return { pending: all.filter((one) => rooms.has(one.roomId)), rooms }
}

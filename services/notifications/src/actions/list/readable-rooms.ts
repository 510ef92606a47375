import type { Caller } from '@parley/credentials'
import type { RoomHeader } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { insertJobs } from '../../store/jobs.ts'
import { listPendingRooms, type PendingRoom } from '../../store/pending.ts'

export type ReadableRooms = { rooms: readonly PendingRoom[]; headers: ReadonlyMap<string, RoomHeader> }

/** Leaves out rooms that the caller may no longer read; a job dismisses the notifications in them. */
export async function findReadableRooms(ctx: Context, caller: Caller): Promise<ReadableRooms> {
  return filterReadableRooms(ctx, caller, await listPendingRooms(ctx.db, caller.userId))
}

export async function filterReadableRooms(
  ctx: Context,
  caller: Caller,
  all: readonly PendingRoom[],
): Promise<ReadableRooms> {
  const { userId } = caller
  const headers = await ctx.rooms.listAccessible(
    caller,
    all.map((one) => one.roomId),
  )
  const unreadable = all.filter((one) => !headers.has(one.roomId))
  if (unreadable.length > 0) {
    const dismissals = unreadable.map(
      ({ roomId, lastRoomSeq }) => ({ of: 'place', userId, roomId, roomSeq: String(lastRoomSeq) }) as const,
    )
    await insertJobs(ctx.db, dismissals)
  }
  return { rooms: all.filter((one) => headers.has(one.roomId)), headers }
}

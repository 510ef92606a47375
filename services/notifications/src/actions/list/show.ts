import type { Caller } from '@parley/credentials'
import type { PageRequest } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { pageOf, shownOf } from '../../domain/page.ts'
import type { Surroundings } from '../../domain/surroundings.ts'
import { badCursor } from '../../errors.ts'
import { findPending, listPending, type Pending, type PendingKey } from '../../store/pending.ts'
import { toNotification } from '../../view/notification.ts'
import { findOpenRooms } from './open-rooms.ts'

/** Notifications as shown to their owner, without those of rooms that the owner cannot read. */
async function show(ctx: Context, pending: readonly Pending[], rooms: Surroundings['rooms']) {
  const readable = pending.filter(({ roomId }) => rooms.has(roomId))
  const users = await ctx.fetchPeople([...new Set(readable.map(({ actorId }) => actorId))])
  return readable.map((one) => toNotification(one, { users, rooms }))
}

/** Returns the given notifications that are pending for the caller, in the order of the ids. */
export async function showPending(ctx: Context, caller: Caller, ids: readonly string[]) {
  const pending = await findPending(ctx.db, caller.userId, ids)
  const rooms = await ctx.rooms.accessible(caller, [...new Set(pending.map(({ roomId }) => roomId))])
  return show(ctx, pending, rooms)
}

/** A page of the caller's pending notifications, in one room or everywhere, newest first. */
export async function showPage(ctx: Context, caller: Caller, request: PageRequest | undefined, roomId?: string) {
  const { limit, wanted, offset, cursor } = pageOf(request)
  const after = cursor === '' ? undefined : keyOf(cursor)
  const open = await findOpenRooms(ctx, caller, roomId)
  const pending = await listPending(ctx.db, caller.userId, [...open.rooms.keys()], { limit: wanted, offset, after })
  const total = open.pending.reduce((sum, { count }) => sum + count, 0n)
  const { shown, page } = shownOf(pending, { limit, total, cursorOf })
  return { notifications: await show(ctx, shown, open.rooms), page }
}

const cursorOf = ({ createdAt, id }: PendingKey): string => encodeCursor([createdAt.getTime(), id])

function keyOf(cursor: string): PendingKey {
  const [at = '', id, ...rest] = decodeCursor(cursor)
  if (!/^\d{1,14}$/.test(at) || id === undefined || id.includes('\0') || rest.length > 0) throw badCursor()
  return { createdAt: new Date(Number(at)), id }
}

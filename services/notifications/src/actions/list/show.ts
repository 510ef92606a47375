import type { Caller } from '@parley/credentials'
import type { PageRequest } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { parsePageRequest, toPage } from '../../domain/page.ts'
import { badCursor } from '../../errors.ts'
import { findPending, listPending, listPendingWithRooms, type Pending, type PendingKey } from '../../store/pending.ts'
import { toNotification } from '../../view/notification.ts'
import { filterReadableRooms } from './readable-rooms.ts'

const peopleIn = (ctx: Context, pending: readonly Pending[]) =>
  ctx.fetchPeople([...new Set(pending.map(({ actorId }) => actorId))])

/** The order is that of `ids`. Leaves out rooms that the caller may no longer read. */
export async function showPending(ctx: Context, caller: Caller, ids: readonly string[]) {
  const pending = await findPending(ctx.db, caller.userId, ids)
  const rooms = await ctx.rooms.listAccessible(caller, [...new Set(pending.map(({ roomId }) => roomId))])
  const readable = pending.filter(({ roomId }) => rooms.has(roomId))
  const users = await peopleIn(ctx, readable)
  return readable.map((one) => toNotification(one, { users, rooms }))
}

/** Newest first. Without `roomId`, in all rooms. Leaves out rooms that the caller may no longer read. */
export async function showPage(ctx: Context, caller: Caller, request: PageRequest | undefined, roomId?: string) {
  const { limit, wanted, offset, cursor } = parsePageRequest(request)
  const after = cursor === '' ? undefined : keyOf(cursor)
  const where = { limit: wanted, offset, after }
  const found = await listPendingWithRooms(ctx.db, caller.userId, roomId, where)
  const [{ rooms, headers }, peopleFound] = await Promise.all([
    filterReadableRooms(ctx, caller, found.rooms),
    peopleIn(ctx, found.page),
  ])
  const areAllReadable = rooms.length === found.rooms.length
  const page = areAllReadable ? found.page : await listPending(ctx.db, caller.userId, [...headers.keys()], where)
  const users = areAllReadable ? peopleFound : await peopleIn(ctx, page)
  const total = rooms.reduce((sum, { count }) => sum + count, 0n)
  const { shown, page: info } = toPage(page, { limit, total, cursorOf })
  return { notifications: shown.map((one) => toNotification(one, { users, rooms: headers })), page: info }
}

const cursorOf = ({ createdAt, id }: PendingKey): string => encodeCursor([createdAt.getTime(), id])

function keyOf(cursor: string): PendingKey {
  const [at = '', id, ...rest] = decodeCursor(cursor)
  if (!/^\d{1,14}$/.test(at) || id === undefined || id.includes('\0') || rest.length > 0) throw badCursor()
  return { createdAt: new Date(Number(at)), id }
}

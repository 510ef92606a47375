import type { PageRequest } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import type { Context } from '../context.ts'
import { pageOf, shownOf } from '../domain/page.ts'
import { badCursor } from '../errors.ts'
import { listPending, type Pending, type PendingKey } from '../store/pending.ts'
import { toNotification } from '../view/notification.ts'

/** Notifications as their user sees them. */
export async function show(ctx: Context, pending: readonly Pending[]) {
  const unique = (ids: string[]) => [...new Set(ids)]
  const surroundings = await ctx.askSurroundings(
    unique(pending.map(({ actorId }) => actorId)),
    unique(pending.map(({ roomId }) => roomId)),
  )
  return pending.map((one) => toNotification(one, surroundings))
}

/** A page of what is pending for a user, in one room or everywhere, newest first. */
export async function showPage(
  ctx: Context,
  whose: { userId: string; roomId?: string },
  request: PageRequest | undefined,
) {
  const { limit, wanted, offset, cursor } = pageOf(request)
  const after = cursor === '' ? undefined : keyOf(cursor)
  const { total, pending } = await listPending(ctx.db, whose, { limit: wanted, offset, after })
  const { shown, page } = shownOf(pending, { limit, total, cursorOf })
  return { notifications: await show(ctx, shown), page }
}

const cursorOf = ({ createdAt, id }: PendingKey): string => encodeCursor([createdAt.getTime(), id])

function keyOf(cursor: string): PendingKey {
  const [at = '', id, ...rest] = decodeCursor(cursor)
  if (!/^\d{1,14}$/.test(at) || id === undefined || id.includes('\0') || rest.length > 0) throw badCursor()
  return { createdAt: new Date(Number(at)), id }
}

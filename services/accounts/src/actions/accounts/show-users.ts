import type { User } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import type { Presence } from '../../engines/presence/index.ts'
import type { UserRow } from '../../store/users.ts'
import { toUser } from '../../view/user.ts'
import { avatarUrl } from './avatar-url.ts'

type ViewContext = Pick<Context, 'config' | 'presence' | 'now'>

/** In the given order. Reads the presence of all accounts at once. */
export async function showEach<Row extends UserRow, T>(
  ctx: ViewContext,
  rows: readonly Row[],
  show: (row: Row, user: User) => T,
): Promise<T[]> {
  const presence = await ctx.presence.of(rows.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id))
  const now = ctx.now()
  return rows.map((row) =>
    show(row, toUser(row, { presence: presence?.get(row.id), avatarUrl: avatarUrl(ctx, row.avatarKey), now })),
  )
}

export const showUsers = (ctx: ViewContext, rows: readonly UserRow[]): Promise<User[]> =>
  showEach(ctx, rows, (_, user) => user)

/** `presences` lets the caller start the presence query earlier. */
export async function showUser(
  ctx: ViewContext,
  row: UserRow,
  presences: ReturnType<Presence['of']> = ctx.presence.of([row.id]),
): Promise<User> {
  const presence = await presences
  return toUser(row, { presence: presence?.get(row.id), avatarUrl: avatarUrl(ctx, row.avatarKey), now: ctx.now() })
}

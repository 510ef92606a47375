import type { PageInfo, PageRequest } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { inOrder } from '../../domain/in-order.ts'
import { badCursor, searchTooLong } from '../../errors.ts'
import { listUsers, type UserKey } from '../../store/user-list.ts'
import { findUsers, type UserWithRoles } from '../../store/users.ts'

const defaultLimit = 20
const maxSearchLength = 100

export type AccountPage = {
  rows: UserWithRoles[]
  page: Pick<PageInfo, 'totalCount' | 'hasMore' | 'nextCursor'>
}

/** Oldest first. Throws `invalid_argument` for a search that is too long or an invalid cursor. */
export async function listAccounts(
  ctx: Pick<Context, 'db' | 'reads'>,
  callerId: string,
  request: { search: string; page?: PageRequest | undefined },
  { maxLimit, includeDeactivated }: { maxLimit: number; includeDeactivated: boolean },
): Promise<AccountPage> {
  const { search, page } = request
  if ([...search].length > maxSearchLength) throw searchTooLong(maxSearchLength)
  const limit = Math.min(page?.limit || defaultLimit, maxLimit)
  const after = page?.cursor ? parseCursor(page.cursor) : undefined
  const wanted = { limit: limit + 1, offset: page?.offset ?? 0, after, includeDeactivated }
  const { keys, total } = await ctx.reads.run(() => listUsers(ctx.db, search, wanted), callerId)
  const shown = keys.slice(0, limit)
  const hasMore = keys.length > limit
  const last = shown.at(-1)
  const ids = shown.map(({ id }) => id)
  return {
    rows: inOrder(ids, await findUsers(ctx.db, ids)),
    page: {
      totalCount: total,
      hasMore,
      nextCursor: hasMore && last ? encodeCursor([last.createdAt.toISOString(), last.login]) : '',
    },
  }
}

function parseCursor(cursor: string): UserKey {
  const [at = '', login, ...rest] = decodeCursor(cursor)
  const createdAt = new Date(at)
  if (login === undefined || login.includes('\0') || rest.length > 0 || Number.isNaN(createdAt.getTime()))
    throw badCursor()
  return { createdAt, login }
}

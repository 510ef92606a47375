import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { badCursor } from '../../errors.ts'
import { assertPermission } from '../../policy/administration.ts'
import * as store from '../../store/invites.ts'
import { toInvite } from '../../view/invite.ts'

const defaultLimit = 50
const maxLimit = 100

export function listInvites(ctx: Context): MethodImpl<typeof AdminUserService.method.listInvites> {
  return async ({ page }, call) => {
    const policy = ctx.policy.current()
    assertPermission(policy, callerOf(call), 'user.manage-accounts')
    const limit = Math.min(page?.limit || defaultLimit, maxLimit)
    const before = page?.cursor ? parseCursor(page.cursor) : undefined
    const now = ctx.now()
    const [rows, total] = await Promise.all([
      store.listInvites(ctx.db, { now, limit: limit + 1, offset: page?.offset ?? 0, before }),
      store.countInvites(ctx.db, now),
    ])
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const hasMore = rows.length > limit
    return {
      invites: shown.map((row) => toInvite(row, policy)),
      page: {
        totalCount: BigInt(total),
        hasMore,
        nextCursor: hasMore && last ? encodeCursor([last.createdAt.toISOString(), last.id]) : '',
      },
    }
  }
}

function parseCursor(cursor: string): store.InviteKey {
  const [at = '', id, ...rest] = decodeCursor(cursor)
  const createdAt = new Date(at)
  if (id === undefined || id.includes('\0') || rest.length > 0 || Number.isNaN(createdAt.getTime())) throw badCursor()
  return { createdAt, id }
}

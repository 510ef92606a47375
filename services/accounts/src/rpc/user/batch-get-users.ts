import type { MethodImpl } from '@connectrpc/connect'
import type { UserService } from '@parley/contracts/api'
import { showEach } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { inOrder } from '../../domain/in-order.ts'
import { couldBeLogin, loginKey } from '../../domain/login.ts'
import { findHandles } from '../../store/handles.ts'
import { findPresentUsers } from '../../store/users.ts'
import { toDirectoryMember } from '../../view/directory-member.ts'

export function batchGetUsers(ctx: Context): MethodImpl<typeof UserService.method.batchGetUsers> {
  return async ({ userIds, logins }) => {
    const ids = [...userIds, ...(await idsOf(ctx, logins))]
    const rows = inOrder(ids, await findPresentUsers(ctx.db, ids))
    const policy = ctx.policy.current()
    return { users: await showEach(ctx, rows, (row, user) => toDirectoryMember(row, user, policy)) }
  }
}

/** Ids of the users with these logins, in the same order. */
async function idsOf(ctx: Context, logins: readonly string[]): Promise<string[]> {
  const keys = [...new Set(logins.filter(couldBeLogin).map(loginKey))]
  if (keys.length === 0) return []
  const found = (await findHandles(ctx.db, keys)).filter(({ kind }) => kind === 'login')
  const byKey = new Map(found.map(({ key, ownerId }) => [key, ownerId]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}

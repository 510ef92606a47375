import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { inOrder } from '../../domain/in-order.ts'
import { tooMany } from '../../errors.ts'
import { addressesOf } from '../../store/emails.ts'
import { findUsers } from '../../store/users.ts'

const maxIds = 500

export function exportPeople(ctx: Context): MethodImpl<typeof AccountsTransferService.method.exportPeople> {
  return async ({ userIds }) => {
    if (userIds.length > maxIds) throw tooMany('user ids', maxIds)
    const users = inOrder(userIds, await findUsers(ctx.db, userIds))
    const emails = await addressesOf(
      ctx.db,
      users.map(({ id }) => id),
    )
    return {
      people: users.map(({ id, login, displayName, deletedAt, createdAt }) => ({
        userId: id,
        login,
        displayName: displayName ?? '',
        emails: emails.get(id) ?? [],
        deleted: deletedAt !== null,
        createdAt: timestampFromDate(createdAt),
      })),
    }
  }
}

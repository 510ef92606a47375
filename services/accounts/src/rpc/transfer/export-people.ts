import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsTransferService } from '@parley/contracts/internal'
import { findPeople } from '../../actions/transfer/find-people.ts'
import type { Context } from '../../context.ts'
import { tooManyAtOnce } from '../../errors.ts'

const maxIds = 500

export function exportPeople(ctx: Context): MethodImpl<typeof AccountsTransferService.method.exportPeople> {
  return async ({ userIds }) => {
    if (userIds.length > maxIds) throw tooManyAtOnce('user ids', maxIds)
    const people = await findPeople(ctx, userIds)
    return {
      people: people.map(({ user: { id, login, displayName, deletedAt, createdAt }, emails }) => ({
        userId: id,
        login,
        displayName: displayName ?? '',
        emails,
        deleted: deletedAt !== null,
        createdAt: timestampFromDate(createdAt),
      })),
    }
  }
}

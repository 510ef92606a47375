import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { deleteAccount } from '../../actions/deletion/delete-account.ts'
import { userNotFound } from '../../errors.ts'
import type { OperatorContext } from '../../context.ts'
import { findUserByLogin } from '../../store/users.ts'

export function deleteUser(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.deleteUser> {
  return async ({ login }) => {
    const user = await findUserByLogin(ctx.db, login)
    if (!user) throw userNotFound(login)
    await deleteAccount(ctx, user.id, '')
    return { userId: user.id }
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { replacePassword } from '../../actions/accounts/replace-password.ts'
import type { OperatorContext } from '../../context.ts'
import { assertPassword } from '../../domain/password.ts'
import { userNotFound } from '../../errors.ts'
import { findUserByLogin } from '../../store/users.ts'

export function setPassword(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.setPassword> {
  return async ({ login, password }) => {
    assertPassword(password)
    const user = await findUserByLogin(ctx.db, login)
    if (!user) throw userNotFound(login)
    await replacePassword(ctx, user.id, password, '')
    return { userId: user.id }
  }
}

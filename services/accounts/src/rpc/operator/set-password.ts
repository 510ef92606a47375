import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { getUserByLogin } from '../../actions/accounts/get-user-by-login.ts'
import { replacePassword } from '../../actions/accounts/replace-password.ts'
import type { OperatorContext } from '../../context.ts'
import { assertPassword } from '../../domain/password.ts'
import { operatorActorId } from '../../domain/operator-actor.ts'

export function setPassword(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.setPassword> {
  return async ({ login, password }) => {
    assertPassword(password)
    const user = await getUserByLogin(ctx, login)
    await replacePassword(ctx, user.id, password, operatorActorId)
    return { userId: user.id }
  }
}

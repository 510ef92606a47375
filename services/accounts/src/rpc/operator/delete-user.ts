import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { getUserByLogin } from '../../actions/accounts/get-user-by-login.ts'
import { deleteAccount } from '../../actions/deletion/delete-account.ts'
import type { OperatorContext } from '../../context.ts'
import { operatorActorId } from '../../domain/operator-actor.ts'

export function deleteUser(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.deleteUser> {
  return async ({ login }) => {
    const user = await getUserByLogin(ctx, login)
    await deleteAccount(ctx, user.id, operatorActorId)
    return { userId: user.id }
  }
}

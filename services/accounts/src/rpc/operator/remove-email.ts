import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { getUserByLogin } from '../../actions/accounts/get-user-by-login.ts'
import { removeAddress } from '../../actions/accounts/remove-address.ts'
import { emailNotFound } from '../../errors.ts'
import type { OperatorContext } from '../../context.ts'
import { operatorActorId } from '../../domain/operator-actor.ts'

export function removeEmail(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.removeEmail> {
  return async ({ login, email }) => {
    const user = await getUserByLogin(ctx, login)
    await removeAddress(ctx, user.id, email, {
      actorId: operatorActorId,
      assertAllowed(_tx, _user, current) {
        if (!current.address) throw emailNotFound()
      },
    })
    return { userId: user.id }
  }
}

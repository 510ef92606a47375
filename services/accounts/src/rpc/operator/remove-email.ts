import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { removeAddress } from '../../actions/accounts/remove-address.ts'
import { emailNotHeld, userNotFound } from '../../errors.ts'
import type { OperatorContext } from '../../context.ts'
import { findUserByLogin } from '../../store/users.ts'

export function removeEmail(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.removeEmail> {
  return async ({ login, email }) => {
    const user = await findUserByLogin(ctx.db, login)
    if (!user) throw userNotFound(login)
    await removeAddress(ctx, user.id, email, {
      actorId: '',
      assertMay(_tx, _user, held) {
        if (!held.address) throw emailNotHeld()
      },
    })
    return { userId: user.id }
  }
}

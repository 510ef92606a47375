import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { userByLogin } from '../../actions/accounts/user-by-login.ts'
import { removeAddress } from '../../actions/accounts/remove-address.ts'
import { emailNotHeld } from '../../errors.ts'
import type { OperatorContext } from '../../context.ts'

export function removeEmail(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.removeEmail> {
  return async ({ login, email }) => {
    const user = await userByLogin(ctx, login)
    await removeAddress(ctx, user.id, email, {
      actorId: '',
      assertMay(_tx, _user, held) {
        if (!held.address) throw emailNotHeld()
      },
    })
    return { userId: user.id }
  }
}

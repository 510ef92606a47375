import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { emailVerified } from '../../accounts/verified-email.ts'
import type { OperatorContext } from '../../operator-context.ts'
import { assertEmail } from '../../domain/email.ts'
import { userNotFound } from '../../errors.ts'
import { ownerGranted } from '../../metrics.ts'
import { changeUser } from '../../store/user-changes.ts'
import { findUserByLogin } from '../../store/users.ts'

export function verifyEmail(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.verifyEmail> {
  return async ({ login, email }) => {
    assertEmail(email)
    const user = await findUserByLogin(ctx.db, login)
    if (!user) throw userNotFound(login)
    const at = ctx.now()
    let madeOwner = false
    const changed = await changeUser(ctx.db, user.id, { actorId: '', at }, async (tx, current) => {
      const verified = await emailVerified(ctx, tx, current, email, at)
      madeOwner = verified.madeOwner
      return verified.change
    })
    if (!changed) throw userNotFound(login)
    if (madeOwner) ownerGranted(user.id)
    await ctx.relay.stored(changed.unannounced)
    return { userId: user.id }
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import { ownerRoleId } from '@parley/auth'
import type { OperatorService } from '@parley/contracts/internal'
import { isOwnerEmail } from '../../accounts/create-account.ts'
import { roleGiven } from '../../accounts/give-role.ts'
import type { Context } from '../../context.ts'
import { assertEmail } from '../../domain/email.ts'
import { emailTaken, userNotFound } from '../../errors.ts'
import { ownerGranted } from '../../metrics.ts'
import { claimEmail } from '../../store/emails.ts'
import { changeUser } from '../../store/user-changes.ts'
import { findUserByLogin } from '../../store/users.ts'

export function verifyEmail(ctx: Context): MethodImpl<typeof OperatorService.method.verifyEmail> {
  return async ({ login, email }) => {
    assertEmail(email)
    const user = await findUserByLogin(ctx.db, login)
    if (!user) throw userNotFound(login)
    const at = ctx.now()
    const makesOwner = isOwnerEmail(ctx, email)
    const changed = await changeUser(ctx.db, user.id, { actorId: '', at }, async (tx, current) => {
      if ((await claimEmail(tx, user.id, email, at)) !== user.id) throw emailTaken()
      return makesOwner ? roleGiven(tx, current, ownerRoleId) : undefined
    })
    if (!changed) throw userNotFound(login)
    if (changed.announced) ownerGranted(user.id)
    if (makesOwner) await ctx.relay.stored(changed.unannounced)
    return { userId: user.id }
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import { ownerRoleId } from '@parley/auth'
import type { OperatorService } from '@parley/contracts/internal'
import { isOwnerEmail } from '../../accounts/create-account.ts'
import { giveRole } from '../../accounts/give-role.ts'
import type { Context } from '../../context.ts'
import { assertEmail } from '../../domain/email.ts'
import { emailTaken, userNotFound } from '../../errors.ts'
import { ownerGranted } from '../../metrics.ts'
import { claimEmail } from '../../store/emails.ts'
import { findUserByLogin } from '../../store/users.ts'

export function verifyEmail(ctx: Context): MethodImpl<typeof OperatorService.method.verifyEmail> {
  return async ({ login, email }) => {
    assertEmail(email)
    const user = await findUserByLogin(ctx.db, login)
    if (!user) throw userNotFound(login)
    const owner = await ctx.db.transaction((tx) => claimEmail(tx, user.id, email, ctx.now()))
    if (owner !== user.id) throw emailTaken()
    if (isOwnerEmail(ctx, email)) {
      await giveRole(ctx, user.id, ownerRoleId, '')
      ownerGranted(user.id)
    }
    return { userId: user.id }
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { emailVerified } from '../../accounts/verified-email.ts'
import { useCode } from '../../codes/email-codes.ts'
import type { Context } from '../../context.ts'
import { couldBeEmail, emailKey } from '../../domain/email.ts'
import { accountGone, wrongCode } from '../../errors.ts'
import { ownerGranted } from '../../metrics.ts'
import { changeUser } from '../../store/user-changes.ts'

export function confirmEmailCode(ctx: Context): MethodImpl<typeof SignInInternalService.method.confirmEmailCode> {
  return async ({ userId, code, ...request }) => {
    const email = request.email.trim()
    if (!couldBeEmail(email)) throw wrongCode()
    const key = { purpose: 'verification' as const, emailKey: emailKey(email), userId }
    const at = ctx.now()
    let fits = false
    let madeOwner = false
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      fits = (await useCode(ctx, tx, key, code.trim(), at)) === 'right'
      // A wrong code is counted: the transaction goes on.
      if (!fits) return undefined
      const verified = await emailVerified(ctx, tx, user, email, at)
      madeOwner = verified.madeOwner
      return verified.change
    })
    if (!changed) throw accountGone()
    if (!fits) throw wrongCode()
    if (!madeOwner) {
      ctx.relay.wake(changed.unannounced)
      return {}
    }
    ownerGranted(userId)
    await ctx.relay.stored(changed.unannounced)
    return {}
  }
}

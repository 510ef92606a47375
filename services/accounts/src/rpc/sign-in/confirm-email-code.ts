import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { mailOwner } from '../../actions/accounts/mail-owner.ts'
import { emailVerified } from '../../actions/accounts/verified-email.ts'
import { useCode } from '../../actions/codes/email-codes.ts'
import type { Context } from '../../context.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertStillHolds } from '../../actions/credentials/still-holds.ts'
import { couldBeEmail, emailKey } from '../../domain/email.ts'
import { accountGone, wrongCode } from '../../errors.ts'
import { emailAddedMail } from '../../engines/mail/index.ts'
import { ownerGranted } from '../../metrics.ts'
import { firstAddressesOf } from '../../store/emails.ts'
import { changeUser } from '../../store/user-changes.ts'

export function confirmEmailCode(ctx: Context): MethodImpl<typeof SignInInternalService.method.confirmEmailCode> {
  return async ({ userId, credentialId, currentPassword, code, ...request }) => {
    await assertFresh(ctx, { userId, credentialId }, currentPassword)
    const email = request.email.trim()
    if (!couldBeEmail(email)) throw wrongCode()
    const key = { purpose: 'verification' as const, emailKey: emailKey(email), userId }
    const at = ctx.now()
    let fits = false
    let madeOwner = false
    let noticeAddresses: string[] = []
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      await assertStillHolds(tx, { userId, credentialId })
      fits = (await useCode(ctx, tx, key, code.trim(), at)) === 'right'
      // A wrong code must be counted, so the transaction commits.
      if (!fits) return undefined
      const before = await firstAddressesOf(tx, userId)
      const verified = await emailVerified(ctx, tx, user, email, { at, selfAdded: true })
      madeOwner = verified.madeOwner
      noticeAddresses = verified.added ? before : []
      return verified.change
    })
    if (!changed) throw accountGone()
    if (!fits) throw wrongCode()
    const { login } = changed.user
    mailOwner(ctx, noticeAddresses, 'email_added', (to) => emailAddedMail(to, login, at))
    if (!madeOwner) {
      ctx.relay.wake(changed.unannounced)
      return {}
    }
    ownerGranted(userId)
    await ctx.relay.stored(changed.unannounced)
    return {}
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { mailNotice } from '../../actions/accounts/mail-notice.ts'
import { recordVerifiedEmail } from '../../actions/accounts/record-verified-email.ts'
import { useCode } from '../../actions/codes/email-codes.ts'
import type { Context } from '../../context.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { couldBeEmail, emailKey } from '../../domain/email.ts'
import { accountGone, wrongCode } from '../../errors.ts'
import { emailAddedMail } from '../../engines/mail/index.ts'
import { logOwnerAppointed } from '../../metrics.ts'
import { findTenOldestAddresses } from '../../store/emails.ts'
import { changeUser } from '../../store/user-changes.ts'

export function confirmEmailCode(ctx: Context): MethodImpl<typeof SignInInternalService.method.confirmEmailCode> {
  return async ({ userId, credentialId, currentPassword, code, ...request }) => {
    await assertFresh(ctx, { userId, credentialId }, currentPassword)
    const email = request.email.trim()
    if (!couldBeEmail(email)) throw wrongCode()
    const key = { purpose: 'verification' as const, emailKey: emailKey(email), userId }
    const at = ctx.now()
    let isRight = false
    let becomesOwner = false
    let noticeAddresses: string[] = []
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      await assertCredentialValid(tx, { userId, credentialId })
      isRight = (await useCode(ctx, tx, key, code.trim(), at)) === 'right'
      // A wrong code must be counted, so the transaction commits.
      if (!isRight) return undefined
      const before = await findTenOldestAddresses(tx, userId)
      const verified = await recordVerifiedEmail(ctx, tx, user, email, { at, selfAdded: true })
      becomesOwner = verified.becomesOwner
      noticeAddresses = verified.added ? before : []
      return verified.change
    })
    if (!changed) throw accountGone()
    if (!isRight) throw wrongCode()
    const { login } = changed.user
    mailNotice(ctx, noticeAddresses, 'email_added', (to) => emailAddedMail(to, login, at))
    if (!becomesOwner) {
      ctx.relay.wake(changed.unrelayed)
      return {}
    }
    logOwnerAppointed(userId)
    await ctx.relay.waitUntilStored(changed.unrelayed)
    return {}
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { getUserByLogin } from '../../actions/accounts/get-user-by-login.ts'
import { mailNotice } from '../../actions/accounts/mail-notice.ts'
import { recordVerifiedEmail } from '../../actions/accounts/record-verified-email.ts'
import type { OperatorContext } from '../../context.ts'
import { assertEmail } from '../../domain/email.ts'
import { loginNotFound } from '../../errors.ts'
import { emailAddedMail } from '../../engines/mail/index.ts'
import { logOwnerAppointed } from '../../metrics.ts'
import { findTenOldestAddresses } from '../../store/emails.ts'
import { changeUser } from '../../store/user-changes.ts'
import { operatorActorId } from '../../domain/operator-actor.ts'

export function verifyEmail(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.verifyEmail> {
  return async ({ login, email }) => {
    assertEmail(email)
    const user = await getUserByLogin(ctx, login)
    const at = ctx.now()
    let becomesOwner = false
    let noticeAddresses: string[] = []
    const changed = await changeUser(ctx.db, user.id, { actorId: operatorActorId, at }, async (tx, current) => {
      const before = await findTenOldestAddresses(tx, user.id)
      const verified = await recordVerifiedEmail(ctx, tx, current, email, { at, selfAdded: false })
      becomesOwner = verified.becomesOwner
      noticeAddresses = verified.added ? before : []
      return verified.change
    })
    if (!changed) throw loginNotFound(login)
    mailNotice(ctx, noticeAddresses, 'email_added', (to) => emailAddedMail(to, user.login, at))
    if (becomesOwner) logOwnerAppointed(user.id)
    await ctx.relay.waitUntilStored(changed.unrelayed)
    return { userId: user.id }
  }
}

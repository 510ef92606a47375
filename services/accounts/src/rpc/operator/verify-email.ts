import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { userByLogin } from '../../actions/accounts/user-by-login.ts'
import { mailOwner } from '../../actions/accounts/mail-owner.ts'
import { emailVerified } from '../../actions/accounts/verified-email.ts'
import type { OperatorContext } from '../../context.ts'
import { assertEmail } from '../../domain/email.ts'
import { userNotFound } from '../../errors.ts'
import { emailAddedMail } from '../../engines/mail/index.ts'
import { ownerGranted } from '../../metrics.ts'
import { firstAddressesOf } from '../../store/emails.ts'
import { changeUser } from '../../store/user-changes.ts'

export function verifyEmail(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.verifyEmail> {
  return async ({ login, email }) => {
    assertEmail(email)
    const user = await userByLogin(ctx, login)
    const at = ctx.now()
    let madeOwner = false
    let noticeAddresses: string[] = []
    const changed = await changeUser(ctx.db, user.id, { actorId: '', at }, async (tx, current) => {
      const before = await firstAddressesOf(tx, user.id)
      const verified = await emailVerified(ctx, tx, current, email, { at, selfAdded: false })
      madeOwner = verified.madeOwner
      noticeAddresses = verified.added ? before : []
      return verified.change
    })
    if (!changed) throw userNotFound(login)
    mailOwner(ctx, noticeAddresses, 'email_added', (to) => emailAddedMail(to, user.login, at))
    if (madeOwner) ownerGranted(user.id)
    await ctx.relay.stored(changed.unannounced)
    return { userId: user.id }
  }
}

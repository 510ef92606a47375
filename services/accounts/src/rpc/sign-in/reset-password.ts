import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { mailNotice } from '../../actions/accounts/mail-notice.ts'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { endAllAccess } from '../../actions/credentials/end-all-access.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { assertPassword } from '../../domain/password.ts'
import { resetLinkExpired } from '../../errors.ts'
import { passwordSetMail } from '../../engines/mail/index.ts'
import { reportCredentialsEnded } from '../../metrics.ts'
import { findTenOldestAddresses } from '../../store/emails.ts'
import { peekFlowToken, takeFlowToken } from '../../store/flow-tokens.ts'
import { changeUser } from '../../store/user-changes.ts'

export function resetPassword(ctx: Context): MethodImpl<typeof SignInInternalService.method.resetPassword> {
  return async ({ token, password, clientAddress }) => {
    assertPassword(password)
    const tokenCtx = tokenContext(ctx)
    // Checked before the password is hashed, so that invalid tokens cause no load.
    const flow = await peekFlowToken(ctx.db, tokenCtx, 'password_reset', token)
    if (!flow) throw resetLinkExpired()
    const passwordHash = await ctx.passwords.hash(password, { address: clientAddress })
    const at = ctx.now()
    const { userId } = flow
    let addresses: string[] = []
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      if (!(await takeFlowToken(tx, tokenCtx, 'password_reset', token))) throw resetLinkExpired()
      const ended = await endAllAccess(tx, user, 'password_reset', at)
      addresses = await findTenOldestAddresses(tx, userId)
      const resetEvents = [auditEvent('password_reset_completed'), auditEvent('user_password_hash_changed')]
      return {
        set: { ...ended.set, passwordHash },
        announce: (version) => [...resetEvents, ...ended.announce(version)],
      }
    })
    if (!changed) throw resetLinkExpired()
    await ctx.relay.waitUntilStored(changed.unrelayed)
    reportCredentialsEnded(userId, 'password_reset')
    const { login } = changed.user
    mailNotice(ctx, addresses, 'password_set', (to) => passwordSetMail(to, login, { at, endedAllAccess: true }))
    return { userId, names: [login, ...addresses.slice(0, 5)] }
  }
}

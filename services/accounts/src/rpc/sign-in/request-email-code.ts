import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { issueCode, type IssuedCode } from '../../actions/codes/email-codes.ts'
import type { Context } from '../../context.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { assertEmail, emailKey } from '../../domain/email.ts'
import { accountGone, noMailer, tooManyCodes } from '../../errors.ts'
import { emailCodeMail, sendMail } from '../../engines/mail/index.ts'
import { changeUser } from '../../store/user-changes.ts'

export function requestEmailCode(ctx: Context): MethodImpl<typeof SignInInternalService.method.requestEmailCode> {
  return async ({ userId, credentialId, currentPassword, ...request }) => {
    const { mailer } = ctx
    if (!mailer) throw noMailer()
    const email = request.email.trim()
    assertEmail(email)
    await assertFresh(ctx, { userId, credentialId }, currentPassword)
    const key = { purpose: 'verification' as const, emailKey: emailKey(email), userId }
    const at = ctx.now()
    let issued: IssuedCode | undefined
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx) => {
      await assertCredentialValid(tx, { userId, credentialId })
      issued = await issueCode(ctx, tx, key, at)
      if (issued === undefined) throw tooManyCodes(ctx.config.codeTtlMs)
      return { announce: () => [auditEvent('email_verification_code_issued')] }
    })
    if (!changed || !issued) throw accountGone()
    ctx.relay.wake(changed.unrelayed)
    const { code, undo } = issued
    await sendMail(ctx, mailer, { kind: 'email_code', compose: emailCodeMail(email, code, ctx.config.codeTtlMs), undo })
    return {}
  }
}

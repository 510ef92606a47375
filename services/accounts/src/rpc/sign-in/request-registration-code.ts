import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { enqueue } from '@parley/events'
import { newId } from '@parley/ids'
import { issueCode } from '../../actions/codes/email-codes.ts'
import type { Context } from '../../context.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { assertEmail, emailKey } from '../../domain/email.ts'
import { publicUrlOf } from '../../domain/public-url.ts'
import { noMailer, registrationClosed } from '../../errors.ts'
import { accountExistsMail, registrationCodeMail, sendMail } from '../../engines/mail/index.ts'
import { findVerifiedEmail } from '../../store/emails.ts'

export function requestRegistrationCode(
  ctx: Context,
): MethodImpl<typeof SignInInternalService.method.requestRegistrationCode> {
  return async (request) => {
    const { config, mailer } = ctx
    if (!config.directRegistration) throw registrationClosed()
    if (!mailer) throw noMailer()
    const email = request.email.trim()
    assertEmail(email)
    const key = { purpose: 'registration' as const, emailKey: emailKey(email), userId: '' }
    const at = ctx.now()
    const result = await ctx.db.transaction(async (tx) => {
      const issued = await issueCode(ctx, tx, key, at)
      if (issued === undefined) return undefined
      const subject = { aggregateType: 'auth' as const, aggregateId: newId('event'), version: 1n }
      const event = { ...subject, occurredAt: at, actorId: '', ...auditEvent('registration_verification_code_issued') }
      return { issued, entries: await enqueue(tx, event) }
    })
    // The response is the same whether or not a code was sent.
    if (!result) return {}
    ctx.relay.wake(result.entries)
    const { code, undo } = result.issued
    // If the address belongs to an account, the mail says so and contains no code.
    const holder = await findVerifiedEmail(ctx.db, email)
    const mail = holder
      ? ({ kind: 'account_exists', compose: accountExistsMail(holder.address, publicUrlOf(config)) } as const)
      : ({ kind: 'registration_code', compose: registrationCodeMail(email, code, config.codeTtlMs) } as const)
    await sendMail(ctx, mailer, { ...mail, undo })
    return {}
  }
}

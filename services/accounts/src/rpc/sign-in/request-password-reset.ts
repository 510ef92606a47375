import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { assertEmail } from '../../domain/email.ts'
import { publicUrlOf } from '../../domain/public-url.ts'
import { noMailer } from '../../errors.ts'
import { passwordResetMail, type Mailer } from '../../engines/mail/index.ts'
import { findVerifiedEmail } from '../../store/emails.ts'
import { issueFlowToken } from '../../store/flow-tokens.ts'
import { changeUser } from '../../store/user-changes.ts'

const linkTtlMs = 3600_000
const intervalMs = 5 * 60_000
const retryAfterMs = [1_000, 5_000, 20_000, 60_000]

export function requestPasswordReset(
  ctx: Context,
): MethodImpl<typeof SignInInternalService.method.requestPasswordReset> {
  return async (request) => {
    const { mailer } = ctx
    if (!mailer) throw noMailer()
    const email = request.email.trim()
    assertEmail(email)
    const holder = await findVerifiedEmail(ctx.db, email)
    // In the background, so that the response time does not reveal whether the address belongs to an account.
    if (holder && isDue(holder.resetMailedAt, ctx.now())) ctx.background(mailLink(ctx, mailer, holder))
    return {}
  }
}

const isDue = (mailedAt: Date | null, now: Date): boolean =>
  mailedAt === null || now.getTime() - mailedAt.getTime() >= intervalMs

/** Mails to the address as stored, never as entered. */
async function mailLink(ctx: Context, mailer: Mailer, { userId, address }: { userId: string; address: string }) {
  const at = ctx.now()
  let token = ''
  const changed = await changeUser(ctx.db, userId, { actorId: '', at }, async (tx, user) => {
    if (user.deactivatedAt || !isDue(user.resetMailedAt, at)) return undefined
    const flow = { purpose: 'password_reset' as const, user, payload: {}, ttlMs: linkTtlMs }
    token = await issueFlowToken(tx, tokenContext(ctx, at), flow)
    return { set: { resetMailedAt: at }, announce: () => [auditEvent('password_reset_link_issued')] }
  })
  if (!changed?.isChanged) return
  ctx.relay.wake(changed.unrelayed)
  const link = `${publicUrlOf(ctx.config)}/reset-password?token=${token}`
  await mailer.deliver('password_reset', passwordResetMail(address, link, linkTtlMs), retryAfterMs)
}

import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import { useCode } from '../../actions/codes/email-codes.ts'
import type { Context } from '../../context.ts'
import { couldBeEmail, emailKey } from '../../domain/email.ts'
import { registrationClosed, wrongCode } from '../../errors.ts'
import { issueFlowToken } from '../../store/flow-tokens.ts'

const completionTtlMs = 15 * 60_000

export function verifyRegistrationCode(
  ctx: Context,
): MethodImpl<typeof SignInInternalService.method.verifyRegistrationCode> {
  return async (request) => {
    if (!ctx.config.directRegistration) throw registrationClosed()
    const email = request.email.trim()
    if (!couldBeEmail(email)) throw wrongCode()
    const key = { purpose: 'registration' as const, emailKey: emailKey(email), userId: '' }
    const at = ctx.now()
    const completionToken = await ctx.db.transaction(async (tx) => {
      if ((await useCode(ctx, tx, key, request.code.trim(), at)) === 'wrong') return undefined
      const flow = { purpose: 'registration' as const, payload: { email }, ttlMs: completionTtlMs }
      return issueFlowToken(tx, tokenContext(ctx, at), flow)
    })
    if (completionToken === undefined) throw wrongCode()
    return { completionToken }
  }
}

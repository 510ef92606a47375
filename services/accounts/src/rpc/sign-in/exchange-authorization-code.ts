import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { openSession, type OpenedSession } from '../../actions/credentials/open-session.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { matchesChallenge, redirectOrigin } from '../../domain/oauth.ts'
import { invalidAuthorizationCode } from '../../errors.ts'
import { peekFlowToken, takeFlowToken, type FlowToken } from '../../store/flow-tokens.ts'
import { changeUser } from '../../store/user-changes.ts'
import { toNewSession } from '../../view/new-session.ts'

/** Another web client must never call methods that require a fresh credential. */
const options = { kinds: ['bearer'], canBeFresh: false } as const

export function exchangeAuthorizationCode(
  ctx: Context,
): MethodImpl<typeof SignInInternalService.method.exchangeAuthorizationCode> {
  return async (request) => {
    const at = ctx.now()
    const tokenCtx = tokenContext(ctx, at)
    const flow = await peekFlowToken(ctx.db, tokenCtx, 'authorization_code', request.code)
    if (!flow) throw invalidAuthorizationCode()
    const { userId } = flow
    let session: OpenedSession | undefined
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      const taken = await takeFlowToken(tx, tokenCtx, 'authorization_code', request.code)
      if (!taken) throw invalidAuthorizationCode()
      const reason = findMismatch(taken, request)
      // The transaction commits even in case of a mismatch, so that the code is used up.
      if (reason !== undefined) return { announce: () => [auditEvent('auth_code_exchange_failed', { reason })] }
      const opened = (session = await openSession(tx, ctx.config, user, at, {
        ...options,
        clientOrigin: redirectOrigin(request.redirectUri),
      }))
      return { announce: () => [auditEvent('auth_code_exchange_succeeded'), ...opened.announcements] }
    })
    if (changed) ctx.relay.wake(changed.unrelayed)
    if (!changed || !session) throw invalidAuthorizationCode()
    return toNewSession(changed.user, session)
  }
}

function findMismatch(
  { payload }: FlowToken,
  given: { redirectUri: string; codeVerifier: string },
): string | undefined {
  if (typeof payload !== 'object' || payload === null) return 'payload'
  if (!('redirectUri' in payload) || payload.redirectUri !== given.redirectUri) return 'redirect_uri'
  if (!('codeChallenge' in payload) || typeof payload.codeChallenge !== 'string') return 'payload'
  return matchesChallenge(given.codeVerifier, payload.codeChallenge) ? undefined : 'code_verifier'
}

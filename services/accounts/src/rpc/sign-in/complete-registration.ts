import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import { createAccount } from '../../actions/accounts/create-account.ts'
import type { Context } from '../../context.ts'
import { openSession, sessionOptionsOf, type OpenedSession } from '../../actions/credentials/open-session.ts'
import { loginEvent } from '../../domain/announcements.ts'
import { assertNoDoubleDots } from '../../domain/login.ts'
import { registrationClosed, registrationExpired } from '../../errors.ts'
import { reportSignIn } from '../../metrics.ts'
import { peekFlowToken, takeFlowToken, type FlowToken } from '../../store/flow-tokens.ts'
import { toNewSession } from '../../view/new-session.ts'

export function completeRegistration(
  ctx: Context,
): MethodImpl<typeof SignInInternalService.method.completeRegistration> {
  return async ({ completionToken, login, password, ...client }) => {
    if (!ctx.config.directRegistration) throw registrationClosed()
    assertNoDoubleDots(login)
    const tokenCtx = tokenContext(ctx)
    // The token is used up only when the account is created, so an unavailable login leaves it valid.
    const email = emailOf(await peekFlowToken(ctx.db, tokenCtx, 'registration', completionToken))
    let session: OpenedSession | undefined
    const { id } = await createAccount(
      ctx,
      { login, password, email, roleIds: [], selfRegistered: true, clientAddress: client.clientAddress },
      {
        before: async (tx) => void emailOf(await takeFlowToken(tx, tokenCtx, 'registration', completionToken)),
        after: async (tx, account) => {
          session = await openSession(tx, ctx.config, account, account.at, sessionOptionsOf(client))
          return [loginEvent(true), ...session.announcements]
        },
      },
    )
    reportSignIn(id)
    return toNewSession({ id, login, displayName: null }, session)
  }
}

function emailOf(flow: FlowToken | undefined): string {
  const payload = flow?.payload
  if (typeof payload === 'object' && payload !== null && 'email' in payload && typeof payload.email === 'string')
    return payload.email
  throw registrationExpired()
}

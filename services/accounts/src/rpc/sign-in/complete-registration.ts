import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import { createAccount } from '../../actions/accounts/create-account.ts'
import type { Context } from '../../context.ts'
import { openSession, wantedBy, type OpenedSession } from '../../actions/credentials/open-session.ts'
import { assertRegisteredLogin } from '../../domain/login.ts'
import { registrationClosed, registrationExpired } from '../../errors.ts'
import { peekFlowToken, takeFlowToken, type FlowToken } from '../../store/flow-tokens.ts'
import { toNewSession } from '../../view/new-session.ts'

export function completeRegistration(
  ctx: Context,
): MethodImpl<typeof SignInInternalService.method.completeRegistration> {
  return async ({ completionToken, login, password, ...about }) => {
    if (!ctx.config.directRegistration) throw registrationClosed()
    assertRegisteredLogin(login)
    const keys = tokenContext(ctx)
    // Checked before the password is hashed, but consumed only when the account is created, so that the token survives
    // an attempt with an unavailable login.
    const email = emailOf(await peekFlowToken(ctx.db, keys, 'registration', completionToken))
    let session: OpenedSession | undefined
    const { id } = await createAccount(
      ctx,
      { login, password, email, roleIds: [], bySelf: true, clientAddress: about.clientAddress },
      {
        before: async (tx) => void emailOf(await takeFlowToken(tx, keys, 'registration', completionToken)),
        after: async (tx, account) => {
          session = await openSession(tx, ctx.config, account, account.at, wantedBy(about))
          return session.announcements
        },
      },
    )
    return toNewSession({ id, login, displayName: null }, session)
  }
}

function emailOf(flow: FlowToken | undefined): string {
  const payload = flow?.payload
  if (typeof payload === 'object' && payload !== null && 'email' in payload && typeof payload.email === 'string')
    return payload.email
  throw registrationExpired()
}

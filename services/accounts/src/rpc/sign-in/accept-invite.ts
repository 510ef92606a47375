import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { createAccount } from '../../actions/accounts/create-account.ts'
import type { Context } from '../../context.ts'
import { openSession, sessionOptionsOf, type OpenedSession } from '../../actions/credentials/open-session.ts'
import { loginEvent, auditEvent } from '../../domain/announcements.ts'
import { assertNoDoubleDots } from '../../domain/login.ts'
import { getInviteByToken, useInvite } from '../../actions/invites/use-invite.ts'
import { reportSignIn } from '../../metrics.ts'
import { toNewSession } from '../../view/new-session.ts'

export function acceptInvite(ctx: Context): MethodImpl<typeof SignInInternalService.method.acceptInvite> {
  return async ({ token, login, password, ...client }) => {
    assertNoDoubleDots(login)
    // The use is counted only when the account is created, so that an unavailable login does not use up the invite.
    const { id: inviteId, email, roleIds } = await getInviteByToken(ctx, token)
    const { roles } = ctx.policy.current()
    let session: OpenedSession | undefined
    const account = await createAccount(
      ctx,
      {
        ...{ login, password, email, selfRegistered: true, clientAddress: client.clientAddress },
        // A role may have been deleted since the invite was created.
        roleIds: roleIds.filter((id) => roles.has(id)),
      },
      {
        before: async (tx) => {
          await useInvite(ctx, tx, token)
        },
        after: async (tx, created) => {
          session = await openSession(tx, ctx.config, created, created.at, sessionOptionsOf(client))
          return [auditEvent('invite_accepted', { invite_id: inviteId }), loginEvent(true), ...session.announcements]
        },
      },
    )
    reportSignIn(account.id)
    return toNewSession({ id: account.id, login, displayName: null }, session)
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { createAccount } from '../../actions/accounts/create-account.ts'
import type { Context } from '../../context.ts'
import { openSession, wantedBy, type OpenedSession } from '../../actions/credentials/open-session.ts'
import { loginEvent, noted } from '../../domain/announcements.ts'
import { assertRegisteredLogin } from '../../domain/login.ts'
import { getInviteOf, useInvite } from '../../actions/invites/open-invite.ts'
import { signedIn } from '../../metrics.ts'
import { toNewSession } from '../../view/new-session.ts'

export function acceptInvite(ctx: Context): MethodImpl<typeof SignInInternalService.method.acceptInvite> {
  return async ({ token, login, password, ...about }) => {
    assertRegisteredLogin(login)
    // Checked before the password is hashed, but consumed only when the account is created, so that an unavailable
    // login does not use up the invite.
    const { id: inviteId, email, roleIds } = await getInviteOf(ctx, token)
    const { roles } = ctx.policy.current()
    let session: OpenedSession | undefined
    const account = await createAccount(
      ctx,
      // A role may have been deleted in the meantime.
      {
        ...{ login, password, email, bySelf: true, clientAddress: about.clientAddress },
        roleIds: roleIds.filter((id) => roles.has(id)),
      },
      {
        before: async (tx) => {
          await useInvite(ctx, tx, token)
        },
        after: async (tx, created) => {
          session = await openSession(tx, ctx.config, created, created.at, wantedBy(about))
          return [noted('invite_accepted', { invite_id: inviteId }), loginEvent(true), ...session.announcements]
        },
      },
    )
    signedIn(account.id)
    return toNewSession({ id: account.id, login, displayName: null }, session)
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { ExternalIdentityAuthService } from '@parley/contracts/auth'
import { createAccount } from '../../actions/accounts/create-account.ts'
import type { Context } from '../../context.ts'
import { openSession, type OpenedSession } from '../../actions/credentials/open-session.ts'
import { loginEvent, auditEvent } from '../../domain/announcements.ts'
import { identityTaken } from '../../domain/identity-errors.ts'
import { newIdentity } from '../../actions/identities/identity.ts'
import { importAvatar } from '../../actions/identities/import-avatar.ts'
import { getPendingFlow, takePendingFlow } from '../../actions/identities/pending-flow.ts'
import { logIdentityLinked, reportSignIn } from '../../metrics.ts'
import { claimIdentityOrFindHolder, findIdentity } from '../../store/external-identities.ts'
import { findUserByEmail } from '../../store/users.ts'

/** Passes the browser session to the gateway: cookie handle, lifetime in seconds, user id. */
const sessionHeader = 'parley-session'

export function createExternalIdentityAccount(
  ctx: Context,
): MethodImpl<typeof ExternalIdentityAuthService.method.createExternalIdentityAccount> {
  return async ({ token, login }, call) => {
    const { identity } = await getPendingFlow(ctx, token, 'external_create')
    if (await findIdentity(ctx.db, identity)) throw identityTaken()
    const { providerId, verifiedEmail, displayNameHint, avatarUrl } = identity
    // If the address belongs to another account, the new account is created without an address.
    const isEmailTaken = verifiedEmail !== '' && (await findUserByEmail(ctx.db, verifiedEmail)) !== undefined
    let session: OpenedSession | undefined
    const account = await createAccount(
      ctx,
      {
        login,
        email: isEmailTaken ? '' : verifiedEmail,
        ...(displayNameHint !== '' && { displayName: displayNameHint }),
        roleIds: [],
        selfRegistered: true,
      },
      {
        before: (tx) => takePendingFlow(ctx, tx, 'external_create', token),
        async after(tx, created) {
          if (await claimIdentityOrFindHolder(tx, newIdentity(identity, created.id, created.at))) throw identityTaken()
          session = await openSession(tx, ctx.config, created, created.at)
          const linked = auditEvent('user_external_identity_linked', { provider_id: providerId })
          return [linked, loginEvent(true), ...session.announcements]
        },
      },
    )
    logIdentityLinked(account.id, providerId)
    reportSignIn(account.id)
    if (avatarUrl !== '') ctx.background(importAvatar(ctx, account.id, avatarUrl))
    if (session) {
      const { cookieHandle, lifetimeSeconds } = session
      call.responseHeader.set(sessionHeader, `${cookieHandle} ${lifetimeSeconds} ${account.id}`)
    }
    return { userId: account.id, login, token: session?.token ?? '' }
  }
}

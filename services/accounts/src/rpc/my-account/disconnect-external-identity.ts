import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { endAllAccess } from '../../actions/credentials/end-all-access.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { accountGone } from '../../errors.ts'
import { identityNotFound, lastWayToSignIn } from '../../domain/identity-errors.ts'
import { providerOf } from '../../actions/identities/identity.ts'
import { reportCredentialsEnded, logIdentityUnlinked } from '../../metrics.ts'
import { deleteIdentity, identitiesOf } from '../../store/external-identities.ts'
import { changeUser } from '../../store/user-changes.ts'

const reason = 'external_identity_disconnected'

export function disconnectExternalIdentity(
  ctx: Context,
): MethodImpl<typeof MyAccountService.method.disconnectExternalIdentity> {
  return async ({ subjectHash, currentPassword }, call) => {
    const caller = callerOf(call)
    const { userId } = caller
    await assertFresh(ctx, caller, currentPassword)
    const at = ctx.now()
    let providerId = ''
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      await assertCredentialValid(tx, caller)
      const identity = await deleteIdentity(tx, userId, subjectHash)
      if (!identity) throw identityNotFound()
      // An identity whose provider the operator has removed does not count: nobody can sign in with it.
      const canUseAnother = (await identitiesOf(tx, userId)).some((other) => providerOf(ctx.providers.all, other))
      if (user.passwordHash === null && !canUseAnother) throw lastWayToSignIn()
      providerId = identity.providerId
      const unlinked = auditEvent('user_external_identity_unlinked', { provider_id: providerId })
      const end = await endAllAccess(tx, user, reason, at)
      return { ...end, announce: (version) => [unlinked, ...end.announce(version)] }
    })
    if (!changed) throw accountGone()
    await ctx.relay.waitUntilStored(changed.unrelayed)
    logIdentityUnlinked(userId, providerId)
    reportCredentialsEnded(userId, reason)
    return { disconnected: true }
  }
}

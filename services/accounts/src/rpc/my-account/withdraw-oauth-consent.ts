import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { auditEvent, sessionsRevoked } from '../../domain/announcements.ts'
import { accountGone } from '../../errors.ts'
import * as metrics from '../../metrics.ts'
import { findCredentialIdsOfClient } from '../../store/credentials.ts'
import { endById } from '../../store/end-credentials.ts'
import { deleteFlowTokensOf } from '../../store/flow-tokens.ts'
import { withdrawConsent } from '../../store/oauth-consents.ts'
import { changeUser } from '../../store/user-changes.ts'

export function withdrawOAuthConsent(ctx: Context): MethodImpl<typeof MyAccountService.method.withdrawOAuthConsent> {
  return async ({ origin }, call) => {
    const { userId } = callerOf(call)
    const at = ctx.now()
    let endedIds: string[] = []
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx) => {
      const withdrawn = await withdrawConsent(tx, userId, origin)
      // Otherwise this client could still exchange an unused code. The codes of the user's other clients are deleted, too,
      // and these clients have to request new codes.
      await deleteFlowTokensOf(tx, userId, 'authorization_code')
      endedIds = await endById(tx, userId, await findCredentialIdsOfClient(tx, userId, origin), at)
      if (!withdrawn && endedIds.length === 0) return undefined
      return {
        announce: () => [
          ...(withdrawn ? [auditEvent('oauth_consent_withdrawn', { origin })] : []),
          ...endedIds.map((id) => auditEvent('session_revoked', { credential_id: id })),
          ...(endedIds.length > 0 ? [sessionsRevoked(endedIds)] : []),
        ],
      }
    })
    if (!changed) throw accountGone()
    await ctx.relay.waitUntilStored(changed.unrelayed)
    if (endedIds.length > 0) metrics.reportCredentialsEnded(userId, 'session_revoked')
    return { ended: endedIds.length }
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { auditEvent, sessionsRevoked } from '../../domain/announcements.ts'
import { accountGone } from '../../errors.ts'
import * as metrics from '../../metrics.ts'
import { credentialsOfClient } from '../../store/credentials.ts'
import { endById } from '../../store/end-credentials.ts'
import { deleteFlowTokensOf } from '../../store/flow-tokens.ts'
import { withdrawConsent } from '../../store/oauth-consents.ts'
import { changeUser } from '../../store/user-changes.ts'

export function withdrawOAuthConsent(ctx: Context): MethodImpl<typeof MyAccountService.method.withdrawOAuthConsent> {
  return async ({ origin }, call) => {
    const { userId } = callerOf(call)
    const at = ctx.now()
    let ended: string[] = []
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx) => {
      const withdrawn = await withdrawConsent(tx, userId, origin)
      // Otherwise the client could exchange a code that it already has for a new token.
      await deleteFlowTokensOf(tx, userId, 'authorization_code')
      ended = await endById(tx, userId, await credentialsOfClient(tx, userId, origin), at)
      if (!withdrawn && ended.length === 0) return undefined
      return {
        announce: () => [
          ...(withdrawn ? [auditEvent('oauth_consent_withdrawn', { origin })] : []),
          ...ended.map((id) => auditEvent('session_revoked', { credential_id: id })),
          ...(ended.length > 0 ? [sessionsRevoked(ended)] : []),
        ],
      }
    })
    if (!changed) throw accountGone()
    await ctx.relay.waitUntilStored(changed.unrelayed)
    if (ended.length > 0) metrics.reportCredentialsEnded(userId, 'session_revoked')
    return { ended: ended.length }
  }
}

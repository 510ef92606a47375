import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { assertOrigin, isLoopbackOrigin } from '../../domain/oauth.ts'
import { accountGone } from '../../errors.ts'
import { deleteFlowTokensOf } from '../../store/flow-tokens.ts'
import { grantConsent, withdrawConsent } from '../../store/oauth-consents.ts'
import { changeUser } from '../../store/user-changes.ts'

export function decideConsent(ctx: Context): MethodImpl<typeof SignInInternalService.method.decideConsent> {
  return async ({ userId, origin, granted, credentialId }) => {
    assertOrigin(origin)
    const at = ctx.now()
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx) => {
      await assertCredentialValid(tx, { userId, credentialId })
      if (!granted) {
        await withdrawConsent(tx, userId, origin)
        // This client could exchange an unused code that it already has, so the unused codes of all clients are
        // deleted. The other clients have to ask for new ones.
        await deleteFlowTokensOf(tx, userId, 'authorization_code')
      } else if (!isLoopbackOrigin(origin)) await grantConsent(tx, userId, origin, at)
      return { announce: () => [auditEvent(granted ? 'oauth_consent_granted' : 'oauth_consent_denied', { origin })] }
    })
    if (!changed) throw accountGone()
    ctx.relay.wake(changed.unrelayed)
    return {}
  }
}

import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { assertChallenge, isLoopbackOrigin, redirectOrigin } from '../../domain/oauth.ts'
import { accountGone, consentMissing } from '../../errors.ts'
import { issueFlowToken } from '../../store/flow-tokens.ts'
import { hasConsent } from '../../store/oauth-consents.ts'
import { changeUser } from '../../store/user-changes.ts'

const ttlMs = 5 * 60_000

export function issueAuthorizationCode(
  ctx: Context,
): MethodImpl<typeof SignInInternalService.method.issueAuthorizationCode> {
  return async ({ userId, redirectUri, codeChallenge, credentialId, consentedNow }) => {
    const origin = redirectOrigin(redirectUri)
    assertChallenge(codeChallenge)
    const at = ctx.now()
    let code = ''
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      await assertCredentialValid(tx, { userId, credentialId })
      const consented = isLoopbackOrigin(origin) ? consentedNow : await hasConsent(tx, userId, origin)
      if (!consented) throw consentMissing()
      const payload = { redirectUri, codeChallenge }
      code = await issueFlowToken(tx, tokenContext(ctx, at), { purpose: 'authorization_code', user, payload, ttlMs })
      return { announce: () => [auditEvent('auth_code_issued', { origin })] }
    })
    if (!changed) throw accountGone()
    ctx.relay.wake(changed.unrelayed)
    return { code, expiresAt: timestampFromDate(new Date(at.getTime() + ttlMs)) }
  }
}

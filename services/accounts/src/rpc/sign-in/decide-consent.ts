import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { noted } from '../../domain/announcements.ts'
import { assertOrigin } from '../../domain/oauth.ts'
import { accountGone } from '../../errors.ts'
import { grantConsent, withdrawConsent } from '../../store/oauth-consents.ts'
import { changeUser } from '../../store/user-changes.ts'

export function decideConsent(ctx: Context): MethodImpl<typeof SignInInternalService.method.decideConsent> {
  return async ({ userId, origin, granted }) => {
    assertOrigin(origin)
    const at = ctx.now()
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx) => {
      if (granted) await grantConsent(tx, userId, origin, at)
      else await withdrawConsent(tx, userId, origin)
      return { announce: () => [noted(granted ? 'oauth_consent_granted' : 'oauth_consent_denied', { origin })] }
    })
    if (!changed) throw accountGone()
    ctx.relay.wake(changed.unannounced)
    return {}
  }
}

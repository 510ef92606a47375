import type { MethodImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import * as store from '../../store/oauth-consents.ts'

export function hasConsent(ctx: Context): MethodImpl<typeof SignInInternalService.method.hasConsent> {
  return async ({ userId, origin }) => ({ granted: await store.hasConsent(ctx.db, userId, origin) })
}

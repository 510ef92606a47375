import type { MethodImpl } from '@connectrpc/connect'
import { internalPath } from '@parley/credentials'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { invalidRedirectPath, providerNotFound } from '../../domain/identity-errors.ts'
import { publicUrlOf } from '../../domain/public-url.ts'
import type { LinkStart } from '../../actions/identities/link-start.ts'
import { issueFlowToken } from '../../store/flow-tokens.ts'
import { getAccount } from '../../store/users.ts'

const tokenTtlMs = 15 * 60_000

export function startExternalIdentityLink(
  ctx: Context,
): MethodImpl<typeof MyAccountService.method.startExternalIdentityLink> {
  return async (request, call) => {
    const caller = callerOf(call)
    const { providerId } = request
    if (!ctx.providers.find(providerId)) throw providerNotFound(providerId)
    const redirectPath = internalPath(request.redirectPath || '/')
    if (redirectPath === undefined) throw invalidRedirectPath()
    // The user is read before `assertFresh`: the flow stores the user's auth generation, so a password reset during or
    // after that check invalidates the flow.
    const user = await getAccount(ctx.db, caller.userId)
    await assertFresh(ctx, caller, request.currentPassword)

    const payload: LinkStart = { providerId, redirectPath }
    const flow = { purpose: 'link_start', user, payload, ttlMs: tokenTtlMs } as const
    const url = new URL(`${publicUrlOf(ctx.config)}/auth/providers/${encodeURIComponent(providerId)}`)
    url.searchParams.set('intent', 'link')
    url.searchParams.set('link_start', await issueFlowToken(ctx.db, tokenContext(ctx), flow))
    return { startUrl: url.href }
  }
}

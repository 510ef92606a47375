import type { MethodImpl } from '@connectrpc/connect'
import { internalPath } from '@parley/credentials'
import type { SignInInternalService, StartProviderLoginRequest } from '@parley/contracts/internal'
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import type { Context } from '../../context.ts'
import {
  browserHandleMissing,
  linkNotStartedByCaller,
  invalidRedirectPath,
  providerNotFound,
  providerUnavailable,
} from '../../domain/identity-errors.ts'
import type { LinkStart } from '../../actions/identities/link-start.ts'
import { logProviderFailure } from '../../metrics.ts'
import { peekFlowToken, takeFlowToken, type FlowToken } from '../../store/flow-tokens.ts'
import { insertProviderLogin } from '../../store/provider-logins.ts'
import { providerDeadline } from '../../clients/providers/deadline.ts'

const lifetimeMs = 15 * 60_000

export function startProviderLogin(ctx: Context): MethodImpl<typeof SignInInternalService.method.startProviderLogin> {
  return async (request, call) => {
    const route = ctx.providers.route(request.providerId)
    if (!route) throw providerNotFound(request.providerId)
    if (request.browserHandle === '') throw browserHandleMissing()
    const { provider, callbackUrl, key } = route
    const link = request.linkStart === '' ? undefined : await getLinkStart(ctx, request, provider.settings.id)
    const redirectPath = internalPath((link ?? request).redirectPath || '/')
    if (redirectPath === undefined) throw invalidRedirectPath()

    const attempt = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
    const deadline = providerDeadline(call)
    const url = await provider
      .authorizeUrl({ ...attempt, redirectUri: callbackUrl }, deadline)
      .catch((error: unknown) => {
        logProviderFailure(provider.settings.id, error)
        throw providerUnavailable(provider.settings.label)
      })
    const { state, ...stored } = attempt
    const secrets = { state, browserHandle: request.browserHandle }
    await ctx.db.transaction(async (tx) => {
      if (link && !(await takeFlowToken(tx, tokenContext(ctx), 'link_start', request.linkStart)))
        throw linkNotStartedByCaller()
      await insertProviderLogin(tx, ctx.config, secrets, {
        ...stored,
        providerId: key,
        redirectPath,
        linkUserId: link ? request.userId : null,
        linkAuthGeneration: link?.authGeneration ?? null,
        expiresAt: new Date(ctx.now().getTime() + lifetimeMs),
      })
    })
    return { authorizeUrl: url.href }
  }
}

async function getLinkStart(
  ctx: Context,
  { linkStart, userId }: StartProviderLoginRequest,
  providerId: string,
): Promise<LinkStart & Pick<FlowToken, 'authGeneration'>> {
  const row = await peekFlowToken(ctx.db, tokenContext(ctx), 'link_start', linkStart)
  const link = row?.payload as LinkStart | undefined
  if (!row || userId === '' || row.userId !== userId || link?.providerId !== providerId) throw linkNotStartedByCaller()
  return { ...link, authGeneration: row.authGeneration }
}

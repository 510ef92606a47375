import type { MessageInitShape } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import type { FinishProviderLoginResponseSchema, SignInInternalService } from '@parley/contracts/internal'
import { tokenContext } from '../../actions/credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { storePendingIdentity } from '../../actions/identities/pending-flow.ts'
import { signInWithIdentity } from '../../actions/identities/sign-in-with-identity.ts'
import { countProviderSignIn, logProviderFailure } from '../../metrics.ts'
import { ProviderDenied, ProviderFailed } from '../../clients/providers/failures.ts'
import type { Provider, ProviderIdentity } from '../../domain/provider.ts'
import { findIdentity } from '../../store/external-identities.ts'
import { findUsers } from '../../store/users.ts'
import type { FlowUser } from '../../store/flow-tokens.ts'
import { takeProviderLogin } from '../../store/provider-logins.ts'
import { providerDeadline } from '../../clients/providers/deadline.ts'

type Outcome = Exclude<
  MessageInitShape<typeof FinishProviderLoginResponseSchema>['outcome'],
  undefined | { case?: undefined }
>

const outcomeNames = { session: 'signed_in', pendingToken: 'pending', alreadyLinked: 'already_linked' }

const error = (value: string): Outcome => ({ case: 'error', value })

export function finishProviderLogin(ctx: Context): MethodImpl<typeof SignInInternalService.method.finishProviderLogin> {
  /** Signs in to the account of the identity. If there is none and the operator allows it, begins to create one. */
  const signIn = async (
    provider: Provider,
    identity: ProviderIdentity,
    { redirectPath, userAgent }: { redirectPath: string; userAgent: string },
  ): Promise<Outcome> => {
    const linked = await findIdentity(ctx.db, identity)
    const [holder] = linked ? await findUsers(ctx.db, [linked.userId]) : []
    if (holder?.deactivatedAt) return error('account_deactivated')
    const session = await signInWithIdentity(ctx, identity, userAgent)
    if (session) return { case: 'session', value: session }
    if (!provider.settings.autoProvision) return error('external_identity_unlinked')
    const flow = { purpose: 'external_create', redirectPath } as const
    return { case: 'pendingToken', value: await storePendingIdentity(ctx, provider, identity, flow) }
  }

  const link = async (
    provider: Provider,
    identity: ProviderIdentity,
    { user, redirectPath }: { user: FlowUser; redirectPath: string },
  ): Promise<Outcome> => {
    const linked = await findIdentity(ctx.db, identity)
    if (linked)
      return linked.userId === user.id ? { case: 'alreadyLinked', value: true } : error('external_identity_conflict')
    const flow = { purpose: 'external_link', user, redirectPath } as const
    return { case: 'pendingToken', value: await storePendingIdentity(ctx, provider, identity, flow) }
  }

  return async ({ providerId, query, browserHandle, userId, userAgent }, call) => {
    const route = ctx.providers.route(providerId)
    if (!route) return { redirectPath: '/', outcome: error('provider_not_found') }
    const { provider, key, callbackUrl } = route
    const respond = (redirectPath: string, outcome: Outcome) => {
      countProviderSignIn(provider.settings.id, outcome.case === 'error' ? outcome.value : outcomeNames[outcome.case])
      return { redirectPath, outcome }
    }

    const callback = new URLSearchParams(query)
    const state = callback.get('state') ?? ''
    const login = await takeProviderLogin(ctx.db, tokenContext(ctx), { state, browserHandle }, key)
    if (!login) return respond('/', error('provider_failed'))
    const { redirectPath, linkUserId, nonce, codeVerifier } = login
    const user = { id: userId, authGeneration: login.linkAuthGeneration ?? 0 }
    if (linkUserId !== null && linkUserId !== userId) return respond(redirectPath, error('authentication_required'))
    try {
      const attempt = { redirectUri: callbackUrl, state, nonce, codeVerifier }
      const identity = await provider.identify(callback, attempt, providerDeadline(call))
      if (linkUserId === null)
        return respond(redirectPath, await signIn(provider, identity, { redirectPath, userAgent }))
      return respond(redirectPath, await link(provider, identity, { user, redirectPath }))
    } catch (failure) {
      if (failure instanceof ProviderDenied) return respond(redirectPath, error('provider_denied'))
      if (!(failure instanceof ProviderFailed)) throw failure
      logProviderFailure(provider.settings.id, failure)
      return respond(redirectPath, error('provider_failed'))
    }
  }
}

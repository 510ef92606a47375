import type { PendingExternalIdentity } from '@parley/contracts/auth'
import type { AuthProvider, AuthProviderType } from '@parley/config'
import { createProviders } from '../src/clients/providers/providers.ts'
import { openEnv, type Env } from './_env.ts'
import { finishLogin, flows, providerSettings, startLogin } from './_identities.ts'
import {
  clientId,
  clientSecret,
  signInOn,
  startOAuthServer,
  type Documented,
  type OAuthServer,
} from './_oauth-server.ts'

export type OAuthEnv = AsyncDisposable & {
  env: Env
  server: OAuthServer
  /** Signs in at the provider with this id: "all", or "less", which requests no address and fewer scopes. */
  signIn: (login: string, id?: string) => ReturnType<typeof finishLogin>
  /** The identity of somebody who has just signed in for the first time. */
  pending: (login: string, id?: string) => Promise<PendingExternalIdentity | undefined>
  /** Creates an account for somebody; returns its user id. */
  makeAccount: (login: string) => Promise<string>
}

/** Accounts with providers of one type, connected to a server that behaves as documented. */
export async function openOAuthEnv(
  type: AuthProviderType,
  documented: Documented,
  options: Record<string, string> = {},
): Promise<OAuthEnv> {
  const server = await startOAuthServer('https://chat.example.org/auth/providers/all/callback', documented)
  const less = await startOAuthServer('https://chat.example.org/auth/providers/less/callback', documented)
  const env = await openEnv()
  const client = { type, client_id: clientId, client_secret: clientSecret, ...options }
  await env.start(
    providerSettings(
      { ...client, id: 'all', provider_options_base_url: `${server.url}/` },
      { ...client, id: 'less', provider_options_base_url: less.url, request_email: 'false' },
    ),
  )
  const signIn: OAuthEnv['signIn'] = async (login, id = 'all') => {
    const callback = await signInOn(id === 'less' ? less : server, await startLogin(env, id), login)
    return finishLogin(env, id, callback)
  }
  return {
    env,
    server,
    signIn,
    async pending(login, id) {
      const { pendingToken: token = '' } = await signIn(login, id)
      return (await flows(env).getPendingExternalIdentity({ token })).pending
    },
    async makeAccount(login) {
      const { pendingToken: token = '' } = await signIn(login)
      return (await flows(env).createExternalIdentityAccount({ token, login })).userId
    },
    async [Symbol.asyncDispose]() {
      await env[Symbol.asyncDispose]()
      await server.stop()
      await less.stop()
    },
  }
}

/** A callback that passes all earlier checks of accounts but has a code that the server did not issue. */
export async function directly(type: AuthProviderType, { url }: OAuthServer, more: Partial<AuthProvider> = {}) {
  const none = { authorizeUrl: undefined, tokenUrl: undefined, apiUrl: undefined, confirmedIsVerified: false }
  const settings = {
    ...{ id: 'x', type, label: 'x', clientId, clientSecret, issuerUrl: undefined, scopes: [] },
    ...{ requestEmail: true, autoProvision: true, options: { ...none, baseUrl: url } },
    ...more,
  }
  const { provider } = createProviders([settings], 'https://chat.example.org', () => new Date()).route('x') ?? {}
  const attempt = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43), redirectUri: 'https://chat.example.org/back' }
  return provider?.identify(new URLSearchParams({ state: 's', code: 'made up' }), attempt, AbortSignal.timeout(10_000))
}

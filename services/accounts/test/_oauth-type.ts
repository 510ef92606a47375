import type { AuthProvider, AuthProviderType } from '@parley/config'
import { openForTests } from '@parley/testkit/open-for-tests'
import { createProviders } from '../src/clients/providers/providers.ts'
import { openEnv } from './_env.ts'
import { finishLogin, identityAuth, providerSettings, startLogin } from './_identities.ts'
import {
  clientId,
  clientSecret,
  signInOn,
  startOAuthServer,
  type ProviderBehaviour,
  type OAuthServer,
} from './_oauth-server.ts'

/** Starts the service `accounts` with two sign-in providers of this type. */
export async function openOAuthEnv(
  type: AuthProviderType,
  behaviour: ProviderBehaviour,
  options: Record<string, string> = {},
) {
  const server = await startOAuthServer('https://chat.example.org/auth/providers/all/callback', behaviour)
  const less = await startOAuthServer('https://chat.example.org/auth/providers/less/callback', behaviour)
  const env = await openEnv()
  const client = { type, client_id: clientId, client_secret: clientSecret, ...options }
  await env.start(
    providerSettings(
      { ...client, id: 'all', provider_options_base_url: `${server.url}/` },
      { ...client, id: 'less', provider_options_base_url: less.url, request_email: 'false' },
    ),
  )
  const signIn = async (login: string, id = 'all') => {
    const callback = await signInOn(id === 'less' ? less : server, await startLogin(env, id), login)
    return finishLogin(env, id, callback)
  }
  return {
    env,
    server,
    /** `id`: "all", or "less", which does not request the address and its scope. */
    signIn,
    /** For an identity that is not linked. */
    async getPending(login: string, id?: string) {
      const { pendingToken: token = '' } = await signIn(login, id)
      return (await identityAuth(env).getPendingExternalIdentity({ token })).pending
    },
    /** Returns the user id. */
    async makeAccount(login: string) {
      const { pendingToken: token = '' } = await signIn(login)
      return (await identityAuth(env).createExternalIdentityAccount({ token, login })).userId
    },
    async [Symbol.asyncDispose]() {
      await env[Symbol.asyncDispose]()
      await server.stop()
      await less.stop()
    },
  }
}

/** Opens `openOAuthEnv` for the tests of a file. */
export const useOAuthEnv = (...args: Parameters<typeof openOAuthEnv>) => openForTests(() => openOAuthEnv(...args))

/** The server has not issued the code. */
export async function identifyWithInvalidCode(
  type: AuthProviderType,
  { url }: OAuthServer,
  more: Partial<AuthProvider> = {},
) {
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

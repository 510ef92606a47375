import { startOidcProvider } from '@parley/testkit'

/** Id under which the tested fleet knows the provider. */
export const providerId = 'corp'

/** Environment variable that names the issuer; not there when the fleet was given. */
export const issuerVariable = 'PARLEY_E2E_ISSUER'

/** A real OpenID Connect provider, at which anybody is whom they say, with an address at corp.example. */
export type IdentityProvider = AsyncDisposable & {
  issuer: string
  /** What tells a fleet of it. */
  env: NodeJS.ProcessEnv
  /** Lets a fleet at this address use it. */
  serve: (publicUrl: string) => void
}

/** Starts it; it knows nobody until it is told whom it serves. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const provider = await startOidcProvider([])
  const { issuer, clientId, clientSecret } = provider
  return {
    issuer,
    env: {
      PARLEY_AUTH_PROVIDERS_0_ID: providerId,
      PARLEY_AUTH_PROVIDERS_0_TYPE: 'oidc',
      PARLEY_AUTH_PROVIDERS_0_LABEL: 'Corporate account',
      PARLEY_AUTH_PROVIDERS_0_CLIENT_ID: clientId,
      PARLEY_AUTH_PROVIDERS_0_CLIENT_SECRET: clientSecret,
      PARLEY_AUTH_PROVIDERS_0_ISSUER_URL: issuer,
    },
    serve(publicUrl) {
      const callbacks = [`/auth/providers/${providerId}/callback`, '/auth/oidc/callback'].map(
        (path) => publicUrl + path,
      )
      provider.configure({
        clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: callbacks }],
        findAccount: (_, id) => ({
          accountId: id,
          claims: () => ({ sub: id, email: `${id}@corp.example`, email_verified: true, preferred_username: id }),
        }),
      })
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  }
}

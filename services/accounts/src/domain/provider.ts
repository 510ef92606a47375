import type { AuthProvider } from '@parley/config'

/** What one browser was sent to a provider with, and must come back with. */
export type Attempt = { redirectUri: string; state: string; nonce: string; codeVerifier: string }

/** What a provider tells about somebody. Hints are as the provider has them: our rules may refuse them. */
export type ProviderProfile = {
  /** Only an address that the provider says it has verified. */
  verifiedEmail: string
  loginHint: string
  displayNameHint: string
  avatarUrl: string
}

/** Somebody signed in at a provider. Issuer and subject name them, and nothing else does. */
export type ProviderIdentity = { issuer: string; subject: string; readProfile: () => Promise<ProviderProfile> }

/** A sign-in provider. Both methods throw {@link ProviderFailed}; the signal ends whatever they wait for. */
export type Provider = {
  readonly settings: AuthProvider
  /** Where to send the browser. */
  authorizeUrl: (attempt: Attempt, signal: AbortSignal) => Promise<URL>
  /** Who came back, by the query of the callback. Throws {@link ProviderDenied} as well. */
  identify: (callback: URLSearchParams, attempt: Attempt, signal: AbortSignal) => Promise<ProviderIdentity>
}

import type { AuthProvider } from '@parley/config'

/** One browser's sign-in attempt at a provider; the callback must bring the same values. */
export type Attempt = { redirectUri: string; state: string; nonce: string; codeVerifier: string }

/** A provider's data about a user. Hints are unchecked: our rules may refuse them. */
export type ProviderProfile = {
  /** Only an address that the provider says it has verified. */
  verifiedEmail: string
  loginHint: string
  displayNameHint: string
  avatarUrl: string
}

/** A user who signed in at a provider, identified only by issuer and subject. */
export type ProviderIdentity = { issuer: string; subject: string; readProfile: () => Promise<ProviderProfile> }

/** A sign-in provider. Both methods throw {@link ProviderFailed}; the signal aborts them. */
export type Provider = {
  readonly settings: AuthProvider
  /** Address to open in the browser. */
  authorizeUrl: (attempt: Attempt, signal: AbortSignal) => Promise<URL>
  /** Identifies the user by the query of the callback. Throws {@link ProviderDenied} as well. */
  identify: (callback: URLSearchParams, attempt: Attempt, signal: AbortSignal) => Promise<ProviderIdentity>
}

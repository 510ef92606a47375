import type { AuthProvider } from '@parley/config'

/** The values that bind a callback, and the tokens issued for it, to one sign-in attempt. */
export type Attempt = { redirectUri: string; state: string; nonce: string; codeVerifier: string }

/** Not validated: our rules may refuse it. */
export type ProviderProfile = {
  /** Empty unless the provider says that it has verified the address. */
  verifiedEmail: string
  loginHint: string
  displayNameHint: string
  avatarUrl: string
}

/** Only issuer and subject identify the user. `readProfile` may reject. */
export type ProviderIdentity = { issuer: string; subject: string; readProfile: () => Promise<ProviderProfile> }

/** Both methods throw {@link ProviderFailed}, and are aborted by the signal. */
export type Provider = {
  readonly settings: AuthProvider
  authorizeUrl: (attempt: Attempt, signal: AbortSignal) => Promise<URL>
  /** Throws {@link ProviderDenied}, too. */
  identify: (callbackQuery: URLSearchParams, attempt: Attempt, signal: AbortSignal) => Promise<ProviderIdentity>
}

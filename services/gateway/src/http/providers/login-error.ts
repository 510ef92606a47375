export type LoginError = (typeof loginErrors)[number]

const loginErrors = [
  'provider_not_found',
  'provider_failed',
  'provider_denied',
  'external_identity_unlinked',
  'account_deactivated',
  'authentication_required',
] as const

/** `provider_failed` replaces an unknown error. After signing in, the browser continues to `redirectPath`. */
export function loginErrorPath(error: string, redirectPath: string): string {
  const known: LoginError = loginErrors.find((one) => one === error) ?? 'provider_failed'
  return `/login?${new URLSearchParams({ error: known, ...(redirectPath !== '/' && { redirect: redirectPath }) }).toString()}`
}

import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'

/** The user declined, or the provider refused the sign-in. */
export class ProviderDenied extends Error {}

/** The provider is unavailable, is not configured as expected, or sent invalid data. The message may be logged. */
export class ProviderFailed extends Error {}

const denials = new Set([
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
])

/** Whether the provider could not be reached, or the request timed out or was aborted. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof ClientError && unreachableCodes.has(error.code ?? '')) return true
  return (error.name === 'TypeError' && error.message === 'fetch failed') || isUnreachable(error.cause)
}

/**
 * Whether the error suggests that the provider's keys or URLs no longer match its cached metadata. A forged callback
 * cannot cause such an error, because the provider refuses its code first.
 */
export const isMetadataOutdated = (error: unknown): boolean =>
  error instanceof ClientError && outdatedCodes.has(error.code ?? '')

const unreachableCodes = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT'])
const outdatedCodes = new Set([
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
])

/** The message contains the cause, such as an error code and the provider's description, but no token. */
export function providerFailure(error: unknown): ProviderDenied | ProviderFailed {
  if (error instanceof ProviderFailed || error instanceof ProviderDenied) return error
  if (error instanceof AuthorizationResponseError) {
    return denials.has(error.error) ? new ProviderDenied(error.error) : new ProviderFailed(describe(error))
  }
  if (error instanceof ResponseBodyError) return new ProviderFailed(`token endpoint: ${describe(error)}`)
  if (error instanceof ClientError) return new ProviderFailed(`${error.code ?? 'error'}: ${reason(error)}`)
  return new ProviderFailed(error instanceof Error ? reason(error) : 'unknown')
}

const describe = ({ error, error_description }: { error: string; error_description?: string }): string =>
  [error, error_description?.slice(0, 200)].filter(Boolean).join(': ')

/** With the cause: "fetch failed" alone does not say what went wrong. */
function reason(error: Error): string {
  const { cause } = error
  const underlying = cause instanceof Error ? ('code' in cause && String(cause.code)) || cause.message : ''
  return [error.message, underlying].filter((text, i, all) => text !== '' && all.indexOf(text) === i).join(': ')
}

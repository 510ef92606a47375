import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'

/** The user declined, or the provider did on the user's behalf. */
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

/** No server answers at the address of the provider. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof ClientError && silences.has(error.code ?? '')) return true
  return (error.name === 'TypeError' && error.message === 'fetch failed') || isUnreachable(error.cause)
}

/**
 * The keys or addresses of the provider differ from its metadata. A forged callback causes none of these errors: its
 * code is refused, which says nothing about the provider.
 */
export const hasMoved = (error: unknown): boolean => error instanceof ClientError && moves.has(error.code ?? '')

const silences = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT'])
const moves = new Set(['OAUTH_KEY_SELECTION_FAILED', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'])

/** Translates an error of the exchange with a provider. Keeps codes and the provider's description; no token. */
export function providerFailure(error: unknown): ProviderDenied | ProviderFailed {
  if (error instanceof ProviderFailed || error instanceof ProviderDenied) return error
  if (error instanceof AuthorizationResponseError) {
    return denials.has(error.error) ? new ProviderDenied(error.error) : new ProviderFailed(said(error))
  }
  if (error instanceof ResponseBodyError) return new ProviderFailed(`token endpoint: ${said(error)}`)
  if (error instanceof ClientError) return new ProviderFailed(`${error.code ?? 'error'}: ${reason(error)}`)
  return new ProviderFailed(error instanceof Error ? reason(error) : 'unknown')
}

const said = ({ error, error_description }: { error: string; error_description?: string }): string =>
  [error, error_description?.slice(0, 200)].filter(Boolean).join(': ')

/** The messages of the error and of the underlying network error: "fetch failed" is not enough. */
function reason(error: Error): string {
  const { cause } = error
  const below = cause instanceof Error ? ('code' in cause && String(cause.code)) || cause.message : ''
  return [error.message, below].filter((text, i, all) => text !== '' && all.indexOf(text) === i).join(': ')
}

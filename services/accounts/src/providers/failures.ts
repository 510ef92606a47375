import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'

/** The user, or the provider on the user's behalf, said no. */
export class ProviderDenied extends Error {}

/** The provider is away, is not what it was configured to be, or sent what does not hold. The message may be logged. */
export class ProviderFailed extends Error {}

const denials = new Set([
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
])

/** What an error of the exchange with a provider means here. Keeps codes and what the provider says of them; no token. */
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

/** The text of the error and of the network error below it: "fetch failed" alone helps nobody. */
function reason(error: Error): string {
  const { cause } = error
  const below = cause instanceof Error ? ('code' in cause && String(cause.code)) || cause.message : ''
  return [error.message, below].filter((text, i, all) => text !== '' && all.indexOf(text) === i).join(': ')
}

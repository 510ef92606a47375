import { responseUrl, redirectTarget, type ClientOrigins } from './redirect-target.ts'

export type AuthorizationRequest = { redirectUri: string; codeChallenge: string; state: string }

/** An invalid request is reported to the client by a redirect, unless its redirect URL must not be used. */
export type ParsedRequest =
  | { kind: 'valid'; request: AuthorizationRequest }
  | { kind: 'invalid'; redirectUrl: string }
  | { kind: 'untrusted_redirect' }

const maxStateLength = 1_024
const names = ['response_type', 'redirect_uri', 'code_challenge', 'code_challenge_method', 'state'] as const

export function readAuthorizationRequest(query: URLSearchParams, origins: ClientOrigins): ParsedRequest {
  const redirectUri = query.get('redirect_uri') ?? ''
  if (query.getAll('redirect_uri').length > 1 || !redirectTarget(redirectUri, origins))
    return { kind: 'untrusted_redirect' }
  const state = query.get('state') ?? ''
  const invalid = (error: string, why: string): ParsedRequest => ({
    kind: 'invalid',
    redirectUrl: responseUrl(origins, redirectUri, {
      error,
      error_description: why,
      state: state.slice(0, maxStateLength),
    }),
  })
  const repeated = names.find((name) => query.getAll(name).length > 1)
  if (repeated) return invalid('invalid_request', `${repeated} is given more than once`)
  if (state.length > maxStateLength) return invalid('invalid_request', 'state is too long')
  if (query.get('response_type') !== 'code') return invalid('unsupported_response_type', 'response_type must be code')
  const codeChallenge = query.get('code_challenge') ?? ''
  if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge))
    return invalid('invalid_request', 'PKCE with code_challenge_method S256 is required')
  return { kind: 'valid', request: { redirectUri, codeChallenge, state } }
}

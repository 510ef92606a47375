import { answeredTo, redirectTarget, type ClientOrigins } from './redirect-target.ts'

/** An authorization request of another web client. */
export type AuthorizationRequest = { redirectUri: string; codeChallenge: string; state: string }

/**
 * A valid request, an invalid one to be reported to the client, or one with an address to which we must not redirect.
 */
export type ParsedRequest =
  | { kind: 'fine'; request: AuthorizationRequest }
  | { kind: 'faulty'; redirectUrl: string }
  | { kind: 'refused'; why: string }

const maxStateLength = 1_024
const names = ['response_type', 'redirect_uri', 'code_challenge', 'code_challenge_method', 'state'] as const

/** Reads the query of `/oauth/authorize`. */
export function readAuthorizationRequest(query: URLSearchParams, origins: ClientOrigins): ParsedRequest {
  const redirectUri = query.get('redirect_uri') ?? ''
  if (query.getAll('redirect_uri').length > 1 || !redirectTarget(redirectUri, origins))
    return {
      kind: 'refused',
      why: 'The redirect address is missing or not allowed by this server.',
    }
  const state = query.get('state') ?? ''
  const faulty = (error: string, why: string): ParsedRequest => ({
    kind: 'faulty',
    redirectUrl: answeredTo(origins, redirectUri, {
      error,
      error_description: why,
      state: state.slice(0, maxStateLength),
    }),
  })
  const twice = names.find((name) => query.getAll(name).length > 1)
  if (twice) return faulty('invalid_request', `${twice} is given twice`)
  if (state.length > maxStateLength) return faulty('invalid_request', 'state is too long')
  if (query.get('response_type') !== 'code') return faulty('unsupported_response_type', 'response_type must be code')
  const codeChallenge = query.get('code_challenge') ?? ''
  if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge))
    return faulty('invalid_request', 'PKCE with code_challenge_method S256 is needed')
  return { kind: 'fine', request: { redirectUri, codeChallenge, state } }
}

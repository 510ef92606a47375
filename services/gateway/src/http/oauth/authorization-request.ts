import { answeredTo, redirectTarget, type ClientOrigins } from './redirect-target.ts'

/** What another web client asks for. */
export type AuthorizationRequest = { redirectUri: string; codeChallenge: string; state: string }

/** A request that is in order; one whose fault the client is told; or one of nobody we would send a browser to. */
export type Asked =
  | { kind: 'fine'; request: AuthorizationRequest }
  | { kind: 'faulty'; redirectUrl: string }
  | { kind: 'refused'; why: string }

const maxStateLength = 1_024
const names = ['response_type', 'redirect_uri', 'code_challenge', 'code_challenge_method', 'state'] as const

/** Reads the query of `/oauth/authorize`. */
export function readAuthorizationRequest(query: URLSearchParams, origins: ClientOrigins): Asked {
  const redirectUri = query.get('redirect_uri') ?? ''
  if (query.getAll('redirect_uri').length > 1 || !redirectTarget(redirectUri, origins))
    return {
      kind: 'refused',
      why: 'The address to go back to is missing, or is none that this server lets people go to.',
    }
  const state = query.get('state') ?? ''
  const faulty = (error: string, why: string): Asked => ({
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

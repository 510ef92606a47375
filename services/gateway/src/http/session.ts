import type { IncomingMessage, ServerResponse } from 'node:http'
import { ConnectError } from '@connectrpc/connect'
import { authenticate, cookieSecrets, type Presented, presentedCredentials, type SignedIn } from '@parley/credentials'
import { headerOf } from '@parley/runtime'
import type { BrowserSession } from '../actions/credentials/browser-session.ts'
import { csrfMismatch } from '../errors.ts'
import type { AuthContext } from './auth/context.ts'
import { clearedCookies, sessionCookies } from './cookies.ts'
import { csrfCookies, csrfHolds } from './csrf.ts'
import { Refusal } from './failure.ts'

/** The caller of a browser route: bearer token first, then cookie. Throws a 503 when that cannot be determined. */
export function signedInBy(context: AuthContext, request: IncomingMessage): Promise<SignedIn | undefined> {
  return authenticated(context, presentedBy(context, request))
}

/** The user signed in with the cookie in this browser. Adds a new cookie to the response when due. */
export async function browserUser(
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<SignedIn | undefined> {
  const user = await authenticated(context, { ...presentedBy(context, request), bearer: undefined })
  await keepSession(context, user, response)
  return user
}

/** Renews the session of a request when due. */
export async function keepSession(context: AuthContext, user: SignedIn | undefined, response: ServerResponse) {
  const renewed = context.renewal.isDue(user) ? await context.renewal.renew(user) : undefined
  if (renewed) beginSession(context, renewed, response)
}

/** Sets the cookies that start a browser session, or continue it with its next handle. */
export function beginSession(context: AuthContext, session: BrowserSession, response: ServerResponse): void {
  const { cookieSigningSecret: secret, secure } = context
  for (const cookie of sessionCookies(session, { secret, secure })) response.appendHeader('set-cookie', cookie)
}

/** Clears the cookies of the browser's session. */
export function endSession(context: AuthContext, response: ServerResponse): void {
  for (const cookie of clearedCookies(context)) response.appendHeader('set-cookie', cookie)
}

/**
 * Throws `permission_denied` unless the request proves that a page of this server sent it, because pages of other sites
 * can also send the cookie. A request with a bearer token needs no proof.
 */
export function assertCsrf(context: AuthContext, request: IncomingMessage, user: SignedIn | undefined): void {
  if (user?.by !== 'cookie') return
  const { cookieHandle = '' } = presentedBy(context, request)
  const token = { header: headerOf(request, 'x-csrf-token'), cookies: csrfCookies(request.headers.cookie) }
  const holds = (secret: string) => csrfHolds(secret, token, user.caller.userId, cookieHandle)
  if (!cookieSecrets(context).some(holds)) throw csrfMismatch()
}

const presentedBy = (context: AuthContext, request: IncomingMessage): Presented =>
  presentedCredentials((name) => headerOf(request, name), context)

async function authenticated(context: AuthContext, presented: Presented): Promise<SignedIn | undefined> {
  try {
    return await authenticate(context.callers, presented)
  } catch (error) {
    // A separate error, so that a route does not mistake it for its own "unavailable".
    throw error instanceof ConnectError ? new Refusal(503, error.rawMessage) : error
  }
}

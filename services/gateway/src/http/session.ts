import type { IncomingMessage, ServerResponse } from 'node:http'
import { ConnectError } from '@connectrpc/connect'
import { authenticate, cookieSecrets, type Presented, presentedCredentials, type SignedIn } from '@parley/credentials'
import { headerOf } from '@parley/runtime'
import type { BrowserSession } from '../actions/credentials/browser-session.ts'
import { csrfMismatch } from '../errors.ts'
import type { AuthContext } from './auth/context.ts'
import { cookieDeletions, sessionCookies } from './cookies.ts'
import { readCsrfCookies, isCsrfTokenValid } from './csrf.ts'
import { Refusal } from './failure.ts'

/**
 * By bearer token, or else by cookie. Throws a `Refusal` with status 503 if the call to the service `accounts` fails.
 */
export function authenticateRequest(context: AuthContext, request: IncomingMessage): Promise<SignedIn | undefined> {
  return authenticateOr503(context, credentialsOf(context, request))
}

/** By cookie. Adds a new cookie to the response when due. */
export async function authenticateBrowser(
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<SignedIn | undefined> {
  const user = await authenticateOr503(context, { ...credentialsOf(context, request), bearer: undefined })
  await renewSession(context, user, response)
  return user
}

export async function renewSession(context: AuthContext, user: SignedIn | undefined, response: ServerResponse) {
  const renewed = context.renewal.isDue(user) ? await context.renewal.renew(user) : undefined
  if (renewed) setSessionCookies(context, renewed, response)
}

export function setSessionCookies(context: AuthContext, session: BrowserSession, response: ServerResponse): void {
  const { cookieSigningSecret: secret, secure } = context
  for (const cookie of sessionCookies(session, { secret, secure })) response.appendHeader('set-cookie', cookie)
}

export function clearSessionCookies(context: AuthContext, response: ServerResponse): void {
  for (const cookie of cookieDeletions(context)) response.appendHeader('set-cookie', cookie)
}

/**
 * Throws `permission_denied` unless a page of this server sent the request: pages of other sites can also send the
 * cookie. A bearer token needs no such proof.
 */
export function assertCsrf(context: AuthContext, request: IncomingMessage, user: SignedIn | undefined): void {
  if (user?.by !== 'cookie') return
  const { cookieHandle = '' } = credentialsOf(context, request)
  const token = { header: headerOf(request, 'x-csrf-token'), cookies: readCsrfCookies(request.headers.cookie) }
  const isValid = (secret: string) => isCsrfTokenValid(secret, token, user.caller.userId, cookieHandle)
  if (!cookieSecrets(context).some(isValid)) throw csrfMismatch()
}

const credentialsOf = (context: AuthContext, request: IncomingMessage): Presented =>
  presentedCredentials((name) => headerOf(request, name), context)

async function authenticateOr503(context: AuthContext, presented: Presented): Promise<SignedIn | undefined> {
  try {
    return await authenticate(context.callers, presented)
  } catch (error) {
    // A Refusal, so that the statuses of the route do not apply.
    throw error instanceof ConnectError ? new Refusal(503, error.rawMessage) : error
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { presentedCredentials } from '../../credentials/presented.ts'
import { clearedCookies, readCookie } from '../cookies.ts'
import { csrfCookieName, csrfHolds } from '../csrf.ts'
import { replyJson } from '../reply.ts'
import type { AuthContext } from './context.ts'

/** `POST /auth/logout`: ends the bearer token and the session that the request presents, and no other. */
export async function logout(context: AuthContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume()
  const { authorization, cookie } = request.headers
  const presented = presentedCredentials((name) => (name === 'cookie' ? cookie : authorization), context)
  const digests = [presented.bearer, presented.cookie].filter((digest) => digest !== undefined)
  const byCookie = presented.cookie && (await context.callers.find(presented.cookie))
  const byBearer = presented.bearer && (await context.callers.find(presented.bearer))
  // Whoever sends a token by hand is no page of another site; a cookie may have been sent along unasked.
  if (byCookie && !byBearer) {
    const given = request.headers['x-csrf-token']
    const token = { header: Array.isArray(given) ? given[0] : given, cookie: readCookie(cookie, csrfCookieName) }
    if (!csrfHolds(context.cookieSigningSecret, token, byCookie.caller.userId, presented.cookieHandle ?? ''))
      return replyJson(request, response, 403, { error: 'the X-CSRF-Token header is missing or does not match' })
  }
  if (digests.length > 0) await context.accounts.endCredentials({ digests, reason: 'logout' })
  for (const known of [byCookie, byBearer]) if (known) context.callers.forgetUser(known.caller.userId)
  return replyJson(request, response, 200, { success: true }, { 'set-cookie': clearedCookies(context.secure) })
}

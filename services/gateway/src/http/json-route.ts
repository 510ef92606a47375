import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { signInFirst } from '../errors.ts'
import type { AuthContext, Handler, UserHandler } from './auth/context.ts'
import { countRequest } from './count-request.ts'
import { failureOf, Refusal, type Statuses } from './failure.ts'
import { replyJson } from './reply.ts'
import { assertCsrf, authenticateBrowser, renewSession, authenticateRequest } from './session.ts'

export type JsonRoute = { method: 'GET' | 'POST'; handle: Handler; statuses: Statuses }

const anyone = (handle: Handler, statuses: Statuses = {}): JsonRoute => ({
  method: 'POST',
  statuses,
  handle: async (context, request, response) => {
    assertCsrf(context, request, await authenticateRequest(context, request))
    return handle(context, request, response)
  },
})

const user = (handle: UserHandler, statuses: Statuses = {}): JsonRoute => ({
  method: 'POST',
  statuses,
  handle: async (context, request, response) => {
    const signedIn = await authenticateRequest(context, request)
    if (!signedIn) throw signInFirst()
    assertCsrf(context, request, signedIn)
    await renewSession(context, signedIn, response)
    return handle(context, request, response, signedIn)
  },
})

const browser = (method: 'GET' | 'POST', handle: UserHandler): JsonRoute => ({
  method,
  statuses: {},
  handle: async (context, request, response) => {
    const signedIn = await authenticateBrowser(context, request, response)
    if (!signedIn) throw signInFirst()
    if (method === 'POST') assertCsrf(context, request, signedIn)
    return handle(context, request, response, signedIn)
  },
})

/** All kinds but `open` require a CSRF token with a POST of a user who is signed in by cookie. */
export const jsonRoute = {
  open: (handle: Handler, statuses: Statuses = {}): JsonRoute => ({ method: 'POST', handle, statuses }),
  anyone,
  /** Signed in by token or cookie. */
  user,
  /** Signed in by cookie. */
  browser,
}

/** Failures become `{"error": text}`. */
export async function serveJson(
  context: AuthContext,
  route: JsonRoute,
  request: IncomingMessage,
  response: ServerResponse,
  cors: OutgoingHttpHeaders,
): Promise<void> {
  for (const [name, value] of Object.entries(cors)) if (value !== undefined) response.setHeader(name, value)
  try {
    countRequest(context, request)
    if (request.method !== route.method)
      throw new Refusal(405, `method not allowed: use ${route.method}`, { allow: `${route.method}, OPTIONS` })
    await route.handle(context, request, response)
  } catch (thrown) {
    request.resume()
    const { status, text, headers } = failureOf(thrown, context.metrics.reportFailure, route.statuses)
    await replyJson(request, response, status, { error: text }, headers)
  }
}

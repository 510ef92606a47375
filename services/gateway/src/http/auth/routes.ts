import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus } from '@connectrpc/connect/protocol-connect'
import { replyJson } from '../reply.ts'
import type { AuthContext } from './context.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'

const routes = new Map([
  ['/auth/login', login],
  ['/auth/logout', logout],
])

/** Answers the sign-in routes; errors become `{"error": text}`. */
export async function serveAuth(
  context: AuthContext,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  cors: OutgoingHttpHeaders,
): Promise<void> {
  for (const [name, value] of Object.entries(cors)) if (value !== undefined) response.setHeader(name, value)
  const route = routes.get(path)
  if (!route) return replyJson(request, response, 404, { error: `nothing at ${path}` })
  if (request.method !== 'POST')
    return replyJson(request, response, 405, { error: 'use POST' }, { allow: 'POST, OPTIONS' })
  try {
    await route(context, request, response)
  } catch (thrown) {
    const error = ConnectError.from(thrown)
    const status =
      error.code === Code.ResourceExhausted && !error.metadata.has('retry-after') ? 413 : codeToHttpStatus(error.code)
    const retryAfter = error.metadata.get('retry-after')
    await replyJson(
      request,
      response,
      status,
      {
        error: error.code === Code.Internal || error.code === Code.Unknown ? 'internal server error' : error.rawMessage,
      },
      retryAfter === null ? {} : { 'retry-after': retryAfter },
    )
  }
}

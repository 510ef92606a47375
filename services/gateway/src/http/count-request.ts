import type { IncomingMessage } from 'node:http'
import { clientAddressOf, type AuthContext } from './auth/context.ts'

/**
 * Counts a request to a sign-in route for the networks of its address. Throws `resource_exhausted` if there were too
 * many recently.
 */
export function countRequest(context: AuthContext, request: IncomingMessage): void {
  const limit = request.method === 'POST' ? 'write' : 'read'
  context.limits.takeFrom(limit, clientAddressOf(context, request))
}

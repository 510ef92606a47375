import type { IncomingMessage } from 'node:http'
import { clientAddressOf, type AuthContext } from './auth/context.ts'

/** Counts a request to the routes of sign-in by the networks it comes from. Throws `resource_exhausted` when there were too many lately. */
export function countRequest(context: AuthContext, request: IncomingMessage): void {
  const limit = request.method === 'POST' ? 'write' : 'read'
  context.limits.takeFrom(limit, clientAddressOf(context, request))
}

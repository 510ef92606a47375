import type { IncomingMessage } from 'node:http'
import { clientAddressOf, type AuthContext } from './auth/context.ts'
import { networkOf } from './client-address.ts'

/** Counts a request to the routes of sign-in by the network it comes from. Throws `resource_exhausted` when there were too many lately. */
export function countRequest(context: AuthContext, request: IncomingMessage): void {
  const limit = request.method === 'POST' ? 'write' : 'read'
  context.limits.take(limit, networkOf(clientAddressOf(context, request)))
}

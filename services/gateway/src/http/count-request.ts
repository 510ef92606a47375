import type { IncomingMessage } from 'node:http'
import { clientAddressOf, type AuthContext } from './auth/context.ts'

export function countRequest(context: AuthContext, request: IncomingMessage): void {
  const limit = request.method === 'POST' ? 'write' : 'read'
  context.limits.takeFrom(limit, clientAddressOf(context, request))
}

import type { IncomingMessage } from 'node:http'
import { tooManyMails } from '../../errors.ts'
import { clientAddressOf, type AuthContext } from './context.ts'

/** Throws `resource_exhausted` if this client has requested too many mails, to any addresses. */
export async function countMail(context: AuthContext, request: IncomingMessage): Promise<void> {
  const { allowed, retryAfterMs } = await context.mails.consume(clientAddressOf(context, request))
  if (!allowed) throw tooManyMails(retryAfterMs)
}

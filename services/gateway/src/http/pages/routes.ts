import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthContext, Handler } from '../auth/context.ts'
import { countRequest } from '../count-request.ts'
import { Refusal } from '../failure.ts'
import { authorize } from '../oauth/authorize.ts'
import { replyFailure } from './message.ts'

/** Paths that browsers open and that the gateway, not the web client, answers. */
export const pageRoutes: ReadonlyMap<string, Handler> = new Map<string, Handler>([['/oauth/authorize', authorize]])

export async function servePage(
  context: AuthContext,
  handle: Handler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume()
  try {
    countRequest(context, request)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new Refusal(405, 'method not allowed: use GET', { allow: 'GET, HEAD' })
    await handle(context, request, response)
  } catch (thrown) {
    await replyFailure(context, request, response, thrown)
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthContext } from '../auth/context.ts'
import { countRequest } from '../count-request.ts'
import { Refusal } from '../failure.ts'
import { replyFailure } from '../pages/message.ts'
import { finishProviderLogin } from './callback.ts'
import type { ProviderPath } from './paths.ts'
import { startProviderLogin } from './start.ts'

export async function serveProvider(
  context: AuthContext,
  { providerId, callback }: ProviderPath,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume()
  try {
    countRequest(context, request)
    if (request.method !== 'GET') throw new Refusal(405, 'method not allowed: use GET', { allow: 'GET' })
    await (callback ? finishProviderLogin : startProviderLogin)(context, providerId, request, response)
  } catch (thrown) {
    await replyFailure(context, request, response, thrown)
  }
}

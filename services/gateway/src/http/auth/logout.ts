import { digestsIn, presentedCredentials } from '@parley/credentials'
import { headerOf } from '@parley/runtime'
import { replyJson } from '../reply.ts'
import { clearSessionCookies } from '../session.ts'
import type { Handler } from './context.ts'

export const logout: Handler = async (context, request, response) => {
  request.resume()
  const { bearer, cookie } = presentedCredentials((name) => headerOf(request, name), context)
  const digests = digestsIn(bearer, cookie)
  const known = await Promise.all(digests.map((digest) => context.callers.find(digest)))
  if (digests.length > 0) await context.accounts.endCredentials({ digests, reason: 'logout' })
  for (const one of known) if (one) context.callers.forgetUser(one.caller.userId)
  clearSessionCookies(context, response)
  return replyJson(request, response, 200, { success: true })
}

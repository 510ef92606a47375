import { credentialDigests, digestsIn, presentedCredentials } from '@parley/credentials'
import { headerOf } from '@parley/runtime'
import { replyJson } from '../reply.ts'
import { clearSessionCookies } from '../session.ts'
import type { AuthContext, Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'

export const logout: Handler = async (context, request, response) => {
  request.resume()
  const { bearer, cookie } = presentedCredentials((name) => headerOf(request, name), context)
  await endCredentials(context, digestsIn(bearer, cookie))
  clearSessionCookies(context, response)
  return replyJson(request, response, 200, { success: true })
}

export const revokeToken: Handler = async (context, request, response) => {
  const { token } = textFields(await readJsonObject(request), 'token')
  await endCredentials(context, digestsIn(credentialDigests(context, token)))
  return replyJson(request, response, 200, { success: true })
}

async function endCredentials(context: AuthContext, digests: ReturnType<typeof digestsIn>): Promise<void> {
  if (digests.length === 0) return
  const known = await Promise.all(digests.map((digest) => context.callers.find(digest)))
  await context.accounts.endCredentials({ digests, reason: 'logout' })
  for (const one of known) if (one) context.callers.forgetUser(one.caller.userId)
}

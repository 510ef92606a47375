import { credentialDigests, digestsIn } from '@parley/credentials'
import { replyJson } from '../reply.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'

export const revokeToken: Handler = async (context, request, response) => {
  const { token } = textFields(await readJsonObject(request), 'token')
  const digests = digestsIn(credentialDigests(context, token))
  const known = await Promise.all(digests.map((digest) => context.callers.find(digest)))
  await context.accounts.endCredentials({ digests, reason: 'logout' })
  for (const one of known) if (one) context.callers.forgetUser(one.caller.userId)
  return replyJson(request, response, 200, { success: true })
}

import { credentialDigest } from '@parley/auth'
import { replyJson } from '../reply.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'

/** `POST /auth/revoke-token`: ends the bearer token in the body; one that is unknown has ended already. */
export const revokeToken: Handler = async (context, request, response) => {
  const { token } = textFields(await readJsonObject(request), 'token')
  const digest = credentialDigest(context.secretKey, token)
  const known = await context.callers.find(digest)
  await context.accounts.endCredentials({ digests: [digest], reason: 'logout' })
  if (known) context.callers.forgetUser(known.caller.userId)
  return replyJson(request, response, 200, { success: true })
}

import { replyJson } from '../reply.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'

export const describeInvite: Handler = async (context, request, response) => {
  const { token } = textFields(await readJsonObject(request), 'token')
  const { email } = await context.signIn.getInvite({ token })
  return replyJson(request, response, 200, { ...(email !== '' && { email }) })
}

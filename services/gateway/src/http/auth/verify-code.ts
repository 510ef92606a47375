import { replyJson } from '../reply.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'

export const verifyCode: Handler = async (context, request, response) => {
  const { email, code } = textFields(await readJsonObject(request), 'email', 'code')
  const { completionToken } = await context.signIn.verifyRegistrationCode({ email, code })
  return replyJson(request, response, 200, { completionToken })
}

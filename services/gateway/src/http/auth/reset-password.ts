import { replyJson } from '../reply.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'

/** `POST /auth/reset-password`: a new password by the token of a mailed link. It does not sign in. */
export const resetPassword: Handler = async (context, request, response) => {
  const { token, password } = textFields(await readJsonObject(request), 'token', 'password')
  const { userId } = await context.signIn.resetPassword({ token, password })
  context.callers.forgetUser(userId)
  return replyJson(request, response, 200, { message: 'The password is set. Sign in with it.' })
}

import { badRequest } from '../../errors.ts'
import { replyJson } from '../reply.ts'
import { beginSession } from '../session.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'

/** `POST /auth/register/complete`: makes the account and signs in. */
export const complete: Handler = async (context, request, response) => {
  const fields = textFields(await readJsonObject(request), 'token', 'login', 'password', 'passwordConfirmation')
  const { token: completionToken, login, password } = fields
  if (password !== fields.passwordConfirmation) throw badRequest('password and passwordConfirmation differ')
  const session = await context.signIn.completeRegistration({ completionToken, login, password })
  beginSession(context, session, response)
  const user = { id: session.userId, login: session.login }
  return replyJson(request, response, 200, { success: true, user, token: session.token })
}

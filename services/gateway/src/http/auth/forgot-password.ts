import { replyJson } from '../reply.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'
import { allowMail } from './mails.ts'

/** The response, which is the same for known and unknown addresses. */
const linkIsOnItsWay = 'If an account has this address, a mail with a link is on its way to it.'

/** `POST /auth/forgot-password`: mails a link that sets a new password. */
export const forgotPassword: Handler = async (context, request, response) => {
  const { email } = textFields(await readJsonObject(request), 'email')
  await allowMail(context, request)
  await context.signIn.requestPasswordReset({ email })
  return replyJson(request, response, 200, { message: linkIsOnItsWay })
}

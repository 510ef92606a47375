import { rememberBrowser } from '../known-browser.ts'
import { replyJson } from '../reply.ts'
import { clientAddressOf, type Handler } from './context.ts'
import { countMail } from './count-mail.ts'
import { readJsonObject, textFields } from './json-body.ts'

/** The same for known and unknown addresses. */
const message = 'If an account uses this e-mail address, you will receive a link there shortly.'

export const forgotPassword: Handler = async (context, request, response) => {
  const { email } = textFields(await readJsonObject(request), 'email')
  await countMail(context, request)
  await context.signIn.requestPasswordReset({ email })
  return replyJson(request, response, 200, { message })
}

/** Does not sign the user in. */
export const resetPassword: Handler = async (context, request, response) => {
  const { token, password } = textFields(await readJsonObject(request), 'token', 'password')
  const clientAddress = clientAddressOf(context, request)
  const { userId, names } = await context.signIn.resetPassword({ token, password, clientAddress })
  context.callers.forgetUser(userId)
  // The recipient of the link must be able to sign in even while others guess the password.
  rememberBrowser(context, request, response, names)
  return replyJson(request, response, 200, {
    message: 'Your password has been changed. Sign in with the new password.',
  })
}

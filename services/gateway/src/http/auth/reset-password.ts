import { rememberBrowser } from '../known-browser.ts'
import { replyJson } from '../reply.ts'
import { clientAddressOf, type Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'

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

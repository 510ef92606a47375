import { replyJson } from '../reply.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'
import { countMail } from './count-mail.ts'

/** The same for known and unknown addresses. */
const message = 'If an account uses this e-mail address, you will receive a link there shortly.'

export const forgotPassword: Handler = async (context, request, response) => {
  const { email } = textFields(await readJsonObject(request), 'email')
  await countMail(context, request)
  await context.signIn.requestPasswordReset({ email })
  return replyJson(request, response, 200, { message })
}

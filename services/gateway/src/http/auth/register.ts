import { replyJson } from '../reply.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'
import { allowMail } from './mails.ts'

/** The response, which is the same for known and unknown addresses. */
const codeIsOnItsWay = 'If an account can be made with this address, a code is on its way to it.'

/** `POST /auth/register`: mails a code to an address. */
export const register: Handler = async (context, request, response) => {
  const { email } = textFields(await readJsonObject(request), 'email')
  await allowMail(context, request)
  await context.signIn.requestRegistrationCode({ email })
  return replyJson(request, response, 200, { message: codeIsOnItsWay })
}

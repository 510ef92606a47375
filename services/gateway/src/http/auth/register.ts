import { ConnectError } from '@connectrpc/connect'
import { Refusal } from '../failure.ts'
import { replyJson } from '../reply.ts'
import type { Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'
import { countMail } from './count-mail.ts'

/** The same for known and unknown addresses. */
const message = 'If an account can be created with this e-mail address, you will receive a code there shortly.'

export const register: Handler = async (context, request, response) => {
  const { email } = textFields(await readJsonObject(request), 'email')
  await countMail(context, request)
  await context.signIn.requestRegistrationCode({ email }).catch(translateFailedMail)
  return replyJson(request, response, 200, { message })
}

/** Existing clients expect 500 if the mail could not be sent. */
function translateFailedMail(thrown: unknown): never {
  const { metadata, rawMessage } = ConnectError.from(thrown)
  throw metadata.get('parley-failed') === 'mail' ? new Refusal(500, rawMessage) : thrown
}

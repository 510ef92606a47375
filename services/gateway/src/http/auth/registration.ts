import type { IncomingMessage, ServerResponse } from 'node:http'
import { ConnectError } from '@connectrpc/connect'
import type { NewSession } from '@parley/contracts/internal'
import { badRequest } from '../../errors.ts'
import { Refusal } from '../failure.ts'
import { rememberBrowser } from '../known-browser.ts'
import { replyJson } from '../reply.ts'
import { setSessionCookies } from '../session.ts'
import { clientAddressOf, readSessionOptions, type AuthContext, type Handler } from './context.ts'
import { countMail } from './count-mail.ts'
import { readJsonObject, textFields } from './json-body.ts'

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

export const verifyCode: Handler = async (context, request, response) => {
  const { email, code } = textFields(await readJsonObject(request), 'email', 'code')
  const { completionToken } = await context.signIn.verifyRegistrationCode({ email, code })
  return replyJson(request, response, 200, { completionToken })
}

export const describeInvite: Handler = async (context, request, response) => {
  const { token } = textFields(await readJsonObject(request), 'token')
  const { email } = await context.signIn.getInvite({ token })
  return replyJson(request, response, 200, { ...(email !== '' && { email }) })
}

export const completeRegistration: Handler = async (context, request, response) => {
  const { token: completionToken, ...account } = await readNewAccount(context, request)
  const session = await context.signIn.completeRegistration({ completionToken, ...account })
  return replySignedIn(context, session, { request, response })
}

/** Works even if registration is closed. */
export const acceptInvite: Handler = async (context, request, response) => {
  const session = await context.signIn.acceptInvite(await readNewAccount(context, request))
  return replySignedIn(context, session, { request, response })
}

async function readNewAccount(context: AuthContext, request: IncomingMessage) {
  const body = await readJsonObject(request)
  const { passwordConfirmation, ...account } = textFields(body, 'token', 'login', 'password', 'passwordConfirmation')
  if (account.password !== passwordConfirmation) throw badRequest('password and passwordConfirmation differ')
  return { ...account, ...readSessionOptions(request, body), clientAddress: clientAddressOf(context, request) }
}

function replySignedIn(
  context: AuthContext,
  session: NewSession,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  setSessionCookies(context, session, response)
  rememberBrowser(context, request, response, [session.login])
  const { userId: id, login, token } = session
  return replyJson(request, response, 200, { success: true, user: { id, login }, ...(token !== '' && { token }) })
}

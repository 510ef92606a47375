import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NewSession } from '@parley/contracts/internal'
import { badRequest } from '../../errors.ts'
import { rememberBrowser } from '../known-browser.ts'
import { replyJson } from '../reply.ts'
import { setSessionCookies } from '../session.ts'
import { clientAddressOf, readSessionOptions, type AuthContext, type Handler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'

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

import type { PasswordLoginResponse } from '@parley/contracts/internal'
import type { IncomingMessage } from 'node:http'
import { badRequest } from '../../errors.ts'
import { knownBrowser, rememberBrowser } from '../known-browser.ts'
import { replyJson } from '../reply.ts'
import { beginSession } from '../session.ts'
import { clientAddressOf, wantedSession, type AuthContext, type Handler } from './context.ts'
import { readJsonObject, textField } from './json-body.ts'

const maxIdentifierLength = 254

/**
 * `POST /auth/login`: exchanges login or verified e-mail and password for a bearer token and a session cookie, or only
 * the cookie.
 */
export const login: Handler = async (context, request, response) => {
  const body = await readJsonObject(request)
  const identifier = textField(body, 'identifier') ?? textField(body, 'login')
  const pair = { identifier, password: textField(body, 'password') }
  const session = await signInByPassword(context, request, pair, wantedSession(request, body))
  beginSession(context, session, response)
  rememberBrowser(context, request, response, [identifier ?? '', session.login])
  const { userId: id, login, token } = session
  return replyJson(request, response, 200, { success: true, user: { id, login }, ...(token !== '' && { token }) })
}

/** Signs in, within the limits of attempts. Throws `invalid_argument`, `unauthenticated` or `resource_exhausted`. */
async function signInByPassword(
  context: AuthContext,
  request: IncomingMessage,
  { identifier, password }: { identifier: string | undefined; password: string | undefined },
  wanted: ReturnType<typeof wantedSession>,
): Promise<PasswordLoginResponse> {
  if (!identifier || !password || identifier.length > maxIdentifierLength)
    throw badRequest('send login (or identifier) and password')
  const address = clientAddressOf(context, request)
  const from = { address, knownBrowser: knownBrowser(context, request, identifier) }
  return context.attempts.run(identifier, from, () =>
    context.accounts.passwordLogin({ identifier, password, clientAddress: address, ...wanted }),
  )
}

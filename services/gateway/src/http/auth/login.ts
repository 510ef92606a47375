import type { PasswordLoginResponse } from '@parley/contracts/internal'
import type { IncomingMessage } from 'node:http'
import { badRequest } from '../../errors.ts'
import { knownBrowser, rememberBrowser } from '../known-browser.ts'
import { replyJson } from '../reply.ts'
import { setSessionCookies } from '../session.ts'
import { clientAddressOf, readSessionOptions, type AuthContext, type Handler } from './context.ts'
import { readJsonObject, textField } from './json-body.ts'

const maxIdentifierLength = 254

export const login: Handler = async (context, request, response) => {
  const body = await readJsonObject(request)
  const identifier = textField(body, 'identifier') ?? textField(body, 'login')
  const pair = { identifier, password: textField(body, 'password') }
  const session = await signInWithPassword(context, request, pair, readSessionOptions(request, body))
  setSessionCookies(context, session, response)
  rememberBrowser(context, request, response, [identifier ?? '', session.login])
  const { userId: id, login, token } = session
  return replyJson(request, response, 200, { success: true, user: { id, login }, ...(token !== '' && { token }) })
}

async function signInWithPassword(
  context: AuthContext,
  request: IncomingMessage,
  { identifier, password }: { identifier: string | undefined; password: string | undefined },
  requested: ReturnType<typeof readSessionOptions>,
): Promise<PasswordLoginResponse> {
  if (!identifier || !password || identifier.length > maxIdentifierLength)
    throw badRequest('send login (or identifier) and password')
  const address = clientAddressOf(context, request)
  const from = { address, knownBrowser: knownBrowser(context, request, identifier) }
  return context.attempts.run(identifier, from, () =>
    context.accounts.passwordLogin({ identifier, password, clientAddress: address, ...requested }),
  )
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { sessionCookies } from '../cookies.ts'
import { replyJson } from '../reply.ts'
import { clientAddressOf, type AuthContext } from './context.ts'
import { readJsonObject, stringField } from './json-body.ts'

const maxIdentifierLength = 254
const maxPasswordBytes = 1024

/** `POST /auth/login`: login or verified e-mail and password for a bearer token and a session cookie. */
export async function login(context: AuthContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readJsonObject(request)
  const identifier = stringField(body, 'identifier') ?? stringField(body, 'login')
  const password = stringField(body, 'password')
  if (!identifier || !password || identifier.length > maxIdentifierLength || password.length > maxPasswordBytes)
    return replyJson(request, response, 400, { error: 'send login (or identifier) and password' })

  const address = clientAddressOf(context, request)
  const wait = await context.attempts.check(identifier, address)
  if (wait > 0)
    return replyJson(
      request,
      response,
      429,
      { error: 'too many failed sign-ins; wait and try again' },
      { 'retry-after': String(Math.ceil(wait / 1000)) },
    )
  try {
    const session = await context.accounts.passwordLogin({ identifier, password, clientAddress: address })
    const { userId, login: name, token } = session
    const cookies = sessionCookies(session, { secret: context.cookieSigningSecret, secure: context.secure })
    return await replyJson(
      request,
      response,
      200,
      { success: true, user: { id: userId, login: name }, token },
      { 'set-cookie': cookies },
    )
  } catch (thrown) {
    const error = ConnectError.from(thrown)
    if (error.code !== Code.Unauthenticated) throw error
    await context.attempts.failed(identifier, address)
    return replyJson(request, response, 401, { error: 'wrong login or password' })
  }
}

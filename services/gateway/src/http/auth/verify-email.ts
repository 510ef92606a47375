import { Code, ConnectError } from '@connectrpc/connect'
import type { Caller } from '@parley/auth'
import { replyJson } from '../reply.ts'
import type { UserHandler } from './context.ts'
import { readJsonObject, textFields } from './json-body.ts'
import { allowMail } from './mails.ts'

/** `POST /auth/verify-email/request-code`: mails a code to an address that the user wants to prove. */
export const requestEmailCode: UserHandler = async (context, request, response, { caller }) => {
  assertOwnSession(caller)
  const { email } = textFields(await readJsonObject(request), 'email')
  await allowMail(context, request)
  await context.signIn.requestEmailCode({ userId: caller.userId, email })
  return replyJson(request, response, 200, { message: 'A code is on its way to the address.' })
}

/** `POST /auth/verify-email/confirm-code`: proves it. */
export const confirmEmailCode: UserHandler = async (context, request, response, { caller }) => {
  assertOwnSession(caller)
  const { email, code } = textFields(await readJsonObject(request), 'email', 'code')
  await context.signIn.confirmEmailCode({ userId: caller.userId, email, code })
  return replyJson(request, response, 200, { success: true })
}

/** Whoever proves an address may reset the password with it: that is not for other web clients that were let in. */
function assertOwnSession({ freshUntil }: Caller): void {
  if (freshUntil === undefined)
    throw new ConnectError('another client may not prove addresses; sign in here', Code.PermissionDenied)
}

import { Code, ConnectError } from '@connectrpc/connect'
import type { Caller } from '@parley/credentials'
import { replyJson } from '../reply.ts'
import type { UserHandler } from './context.ts'
import { readJsonObject, textField, textFields } from './json-body.ts'
import { allowMail } from './mails.ts'

/** `POST /auth/verify-email/request-code`: mails a code to an address that the user wants to prove. */
export const requestEmailCode: UserHandler = async (context, request, response, { caller }) => {
  assertOwnSession(caller)
  const body = await readJsonObject(request)
  const { email } = textFields(body, 'email')
  await allowMail(context, request)
  await context.signIn.requestEmailCode({ ...proofOf(caller, body), email })
  return replyJson(request, response, 200, { message: 'A code is on its way to the address.' })
}

/** `POST /auth/verify-email/confirm-code`: proves the address with the code. */
export const confirmEmailCode: UserHandler = async (context, request, response, { caller }) => {
  assertOwnSession(caller)
  const body = await readJsonObject(request)
  const { email, code } = textFields(body, 'email', 'code')
  await context.signIn.confirmEmailCode({ ...proofOf(caller, body), email, code })
  return replyJson(request, response, 200, { success: true })
}

/** Proof of the caller: a fresh session, or the password. */
const proofOf = ({ credentialId, userId }: Caller, body: Record<string, unknown>) => ({
  userId,
  credentialId,
  currentPassword: textField(body, 'current_password') ?? textField(body, 'currentPassword') ?? '',
})

/** A verified address can be used to reset the password, so other web clients may not add one. */
function assertOwnSession({ freshUntil }: Caller): void {
  if (freshUntil === undefined)
    throw new ConnectError(
      'permission denied: other clients cannot confirm e-mail addresses; sign in here',
      Code.PermissionDenied,
    )
}

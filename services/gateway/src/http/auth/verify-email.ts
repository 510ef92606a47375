import { Code, ConnectError } from '@connectrpc/connect'
import type { Caller } from '@parley/credentials'
import { replyJson } from '../reply.ts'
import type { UserHandler } from './context.ts'
import { readJsonObject, textField, textFields } from './json-body.ts'
import { countMail } from './count-mail.ts'

export const requestEmailCode: UserHandler = async (context, request, response, { caller }) => {
  assertMayAddEmail(caller)
  const body = await readJsonObject(request)
  const { email } = textFields(body, 'email')
  await countMail(context, request)
  await context.signIn.requestEmailCode({ ...reauthenticationOf(caller, body), email })
  return replyJson(request, response, 200, { message: 'You will receive a code at this e-mail address shortly.' })
}

export const confirmEmailCode: UserHandler = async (context, request, response, { caller }) => {
  assertMayAddEmail(caller)
  const body = await readJsonObject(request)
  const { email, code } = textFields(body, 'email', 'code')
  await context.signIn.confirmEmailCode({ ...reauthenticationOf(caller, body), email, code })
  return replyJson(request, response, 200, { success: true })
}

const reauthenticationOf = ({ credentialId, userId }: Caller, body: Record<string, unknown>) => ({
  userId,
  credentialId,
  currentPassword: textField(body, 'current_password') ?? textField(body, 'currentPassword') ?? '',
})

/** A verified address can be used to reset the password, so other web clients may not add one. */
function assertMayAddEmail({ freshUntil }: Caller): void {
  if (freshUntil === undefined)
    throw new ConnectError(
      "permission denied: other web clients cannot add e-mail addresses; sign in to this server's own web client",
      Code.PermissionDenied,
    )
}

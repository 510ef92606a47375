import type { IncomingMessage, ServerResponse } from 'node:http'
import { badRequest } from '../../errors.ts'
import type { AuthContext, Handler } from '../auth/context.ts'
import { linkIsOnItsWay } from '../auth/forgot-password.ts'
import { allowMail } from '../auth/mails.ts'
import { failureOf } from '../failure.ts'
import { queryOf } from '../redirect.ts'
import { alert, hidden, newPasswordFields } from './fields.ts'
import { formToken, readForm } from './form.ts'
import { html } from './html.ts'
import { replyMessage } from './message.ts'
import { replyPage } from './page.ts'

/** `POST /forgot-password` */
export const submitForgotPassword: Handler = async (context, request, response) => {
  const form = await readForm(context, request)
  await allowMail(context, request)
  await context.signIn.requestPasswordReset({ email: form.get('email') ?? '' })
  return replyMessage(context, request, response, { heading: 'Look at your mail', text: linkIsOnItsWay })
}

/** `GET /reset-password`, where the mailed link leads */
export const resetPasswordPage: Handler = (context, request, response) =>
  show(context, request, response, queryOf(request).get('token') ?? '')

/** `POST /reset-password` */
export const submitResetPassword: Handler = async (context, request, response) => {
  const form = await readForm(context, request)
  const [token = '', password = ''] = [form.get('token'), form.get('password')]
  try {
    if (password !== form.get('password_confirmation')) throw badRequest('The two passwords differ.')
    const { userId } = await context.signIn.resetPassword({ token, password })
    context.callers.forgetUser(userId)
  } catch (thrown) {
    return show(context, request, response, token, failureOf(thrown, context.metrics.failed))
  }
  const text = 'The new password is set, and every session has ended. Sign in with it.'
  return replyMessage(context, request, response, { heading: 'Your password', text })
}

function show(
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  failure?: { status: number; text: string },
): Promise<void> {
  const body = html`<h1>Set a new password</h1>
    ${alert(failure?.text)}
    <form method="post" action="/reset-password">
      ${formToken(context, request, response)} ${hidden('token', token)} ${newPasswordFields}
      <button class="main">Set the password</button>
    </form>`
  return replyPage(request, response, { status: failure?.status ?? 200, title: 'Set a new password', body })
}

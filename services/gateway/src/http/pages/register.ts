import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthContext, Handler } from '../auth/context.ts'
import { allowMail } from '../auth/mails.ts'
import { codeIsOnItsWay } from '../auth/register.ts'
import { badRequest } from '../../errors.ts'
import { failureOf } from '../failure.ts'
import { queryOf } from '../redirect.ts'
import { beginSession } from '../session.ts'
import { alert, emailField, field, hidden, newPasswordFields } from './fields.ts'
import { formToken, readForm } from './form.ts'
import { goOn } from './go-on.ts'
import { html, type Html } from './html.ts'
import { replyMessage } from './message.ts'
import { replyPage } from './page.ts'

/** What the steps hand on, each in hidden fields of the next. */
type Entered = { redirect?: string | undefined; email?: string | undefined; login?: string | undefined; token?: string }
type Step = (entered: Entered) => { action: string; fields: Html; button: string; note?: string }

const askEmail: Step = ({ email }) => ({ action: '/register', fields: emailField(email), button: 'Send me a code' })

const askCode: Step = ({ email }) => ({
  action: '/register/code',
  note: codeIsOnItsWay,
  fields: html`${hidden('email', email)}
  ${field({ label: 'Six-digit code', name: 'code', autocomplete: 'one-time-code' })}`,
  button: 'Go on',
})

const askAccount: Step = ({ login, token }) => ({
  action: '/register/complete',
  fields: html`${hidden('completion_token', token)}
  ${field({
    ...{ label: 'Login', name: 'login', autocomplete: 'username', value: login },
    hint: '2 to 32 letters, digits, dots, hyphens and underscores',
  })}
  ${newPasswordFields}`,
  button: 'Create the account',
})

/** `GET /register` */
export const registerPage: Handler = async (context, request, response) => {
  const { login } = await context.describeServer()
  if (login?.directRegistrationEnabled !== true)
    return replyMessage(context, request, response, {
      ...{ status: 403, heading: 'Create an account', text: 'Accounts cannot be made here by e-mail.' },
    })
  return show(context, request, response, askEmail, { redirect: queryOf(request).get('redirect') ?? undefined })
}

/** `POST /register`: the address is told, a code is mailed. */
export const submitEmail = submit(askEmail, async (context, request, response, form) => {
  const [email = '', redirect] = [form.get('email'), form.get('redirect')]
  await allowMail(context, request)
  await context.signIn.requestRegistrationCode({ email })
  return show(context, request, response, askCode, { email, redirect })
})

/** `POST /register/code`: the code is told. */
export const submitCode = submit(askCode, async (context, request, response, form) => {
  const [email = '', code = '', redirect] = [form.get('email'), form.get('code'), form.get('redirect')]
  const { completionToken: token } = await context.signIn.verifyRegistrationCode({ email, code: code.trim() })
  return show(context, request, response, askAccount, { token, redirect })
})

/** `POST /register/complete`: the account is made, and its owner signed in. */
export const submitAccount = submit(askAccount, async (context, request, response, form) => {
  const [completionToken = '', login = ''] = [form.get('completion_token'), form.get('login')]
  const password = form.get('password') ?? ''
  if (password !== form.get('password_confirmation')) throw badRequest('The two passwords differ.')
  const session = await context.signIn.completeRegistration({ completionToken, login, password })
  beginSession(context, session, response)
  return goOn(request, response, form.get('redirect'))
})

type Submission = (
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  form: ReadonlyMap<string, string>,
) => Promise<void>

/** A step whose failure shows it again with what was entered. */
function submit(step: Step, submission: Submission): Handler {
  return async (context, request, response) => {
    const form = await readForm(context, request)
    try {
      await submission(context, request, response, form)
    } catch (thrown) {
      const { status, text } = failureOf(thrown, context.metrics.failed)
      const entered = { email: form.get('email'), login: form.get('login'), redirect: form.get('redirect') }
      const token = form.get('completion_token') ?? ''
      await show(context, request, response, step, { ...entered, token }, { status, text })
    }
  }
}

function show(
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  step: Step,
  entered: Entered,
  failure?: { status: number; text: string },
): Promise<void> {
  const { action, fields, button, note } = step(entered)
  const body = html`<h1>Create an account</h1>
    ${alert(failure?.text)} ${!failure && note !== undefined && html`<p class="note" role="status">${note}</p>`}
    <form method="post" action="${action}">
      ${formToken(context, request, response)} ${hidden('redirect', entered.redirect)} ${fields}
      <button class="main">${button}</button>
    </form>
    <p><a href="/login">Back to sign-in</a></p>`
  return replyPage(request, response, { status: failure?.status ?? 200, title: 'Create an account', body })
}

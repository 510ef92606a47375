import type { IncomingMessage, ServerResponse } from 'node:http'
import { internalPath } from '@parley/auth'
import type { AuthContext, Handler } from '../auth/context.ts'
import { signInByPassword } from '../auth/login.ts'
import { failureOf } from '../failure.ts'
import { loginErrors, type LoginError } from '../providers/login-error.ts'
import { queryOf } from '../redirect.ts'
import { beginSession } from '../session.ts'
import { alert, emailField, field, hidden } from './fields.ts'
import { formToken, readForm } from './form.ts'
import { goOn } from './go-on.ts'
import { html } from './html.ts'
import { replyPage } from './page.ts'

const errorTexts: Record<LoginError, string> = {
  provider_not_found: 'This way to sign in is not available here.',
  provider_failed: 'Signing in there did not work. Try again.',
  provider_denied: 'The provider says that you declined.',
  external_identity_unlinked:
    'No account is linked to that identity, and new ones cannot be made with it. Sign in another way and link it there.',
  authentication_required: 'Sign in first, then link the identity once more.',
}

/** `GET /login` */
export const loginPage: Handler = (context, request, response) => {
  const query = queryOf(request)
  const error = query.get('error') ?? ''
  const text = error === '' ? undefined : errorTexts[loginErrors.find((one) => one === error) ?? 'provider_failed']
  return showLogin(context, request, response, { redirect: query.get('redirect'), error: text })
}

/** `POST /login` */
export const submitLogin: Handler = async (context, request, response) => {
  const form = await readForm(context, request)
  const [identifier, redirect] = [form.get('identifier'), form.get('redirect')]
  try {
    const session = await signInByPassword(context, request, identifier, form.get('password'))
    beginSession(context, session, response)
  } catch (thrown) {
    const { status, text, headers } = failureOf(thrown, context.metrics.failed)
    return showLogin(context, request, response, { redirect, error: text, identifier, status, headers })
  }
  return goOn(request, response, redirect)
}

type Shown = {
  redirect: string | null | undefined
  error: string | undefined
  identifier?: string | undefined
  status?: number
  headers?: Record<string, string>
}

async function showLogin(context: AuthContext, request: IncomingMessage, response: ServerResponse, shown: Shown) {
  const { profile, login } = await context.describeServer()
  const path = internalPath(shown.redirect) ?? '/'
  const heading = `Sign in to ${profile?.name ?? 'Parley'}`
  const token = formToken(context, request, response)
  const providers = login?.providers.map(({ id, label }) => {
    const href = `/auth/providers/${encodeURIComponent(id)}?${new URLSearchParams({ redirect: path }).toString()}`
    return html`<a class="button" href="${href}">${label}</a>`
  })
  const body = html`<h1>${heading}</h1>
    ${alert(shown.error)}
    <form method="post" action="/login">
      ${token} ${hidden('redirect', path)}
      ${field({ label: 'Login or e-mail address', name: 'identifier', autocomplete: 'username', value: shown.identifier })}
      ${field({ label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password' })}
      <button class="main">Sign in</button>
    </form>
    ${providers?.length ? html`<nav aria-label="Other ways to sign in">${providers}</nav>` : undefined}
    ${
      login?.directRegistrationEnabled === true &&
      html`<details>
        <summary>Create an account</summary>
        <form method="post" action="/register">
          ${token} ${hidden('redirect', path)} ${emailField()}
          <button>Send me a code</button>
        </form>
      </details>`
    }
    <details>
      <summary>Forgot your password?</summary>
      <form method="post" action="/forgot-password">
        ${token} ${emailField()}
        <button>Send me a link</button>
      </form>
    </details>`
  const { status = 200, headers = {} } = shown
  return replyPage(request, response, { status, title: heading, body, headers })
}

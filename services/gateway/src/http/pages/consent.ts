import { noPendingRequest } from '../../errors.ts'
import type { Handler } from '../auth/context.ts'
import { decide, pendingRequest } from '../oauth/consent.ts'
import { redirect } from '../redirect.ts'
import { browserUser } from '../session.ts'
import { hidden } from './fields.ts'
import { formToken, readForm } from './form.ts'
import { goThrough } from './go-on.ts'
import { html } from './html.ts'
import { replyPage } from './page.ts'

/** `GET /oauth/consent`: whether another web client may act for the user. */
export const consentPage: Handler = async (context, request, response) => {
  const user = await browserUser(context, request, response)
  if (!user) return redirect(response, 303, '/login')
  const { redirectUri } = pendingRequest(context, request, user)
  const { profile } = await context.describeServer()
  const title = 'Let another client in?'
  const body = html`<h1>${title}</h1>
    <p>
      <strong>${new URL(redirectUri).origin}</strong> wants to use your account on
      <strong>${profile?.name ?? 'Parley'}</strong>. It will be able to read and write everything you can.
    </p>
    <form method="post" action="/oauth/consent">
      ${formToken(context, request, response)} ${hidden('redirect_uri', redirectUri)}
      <button class="main" name="decision" value="approve">Let it in</button>
      <button name="decision" value="deny">Keep it out</button>
    </form>`
  return replyPage(request, response, { title, body })
}

/** `POST /oauth/consent` */
export const submitConsent: Handler = async (context, request, response) => {
  const form = await readForm(context, request)
  const user = await browserUser(context, request, response)
  if (!user) throw noPendingRequest()
  const asked = pendingRequest(context, request, user)
  // Another client may have begun since the page was shown: the decision was not about that one.
  if (asked.redirectUri !== form.get('redirect_uri')) throw noPendingRequest()
  const url = await decide(context, response, { asked, user, granted: form.get('decision') === 'approve' })
  return goThrough(request, response, url)
}

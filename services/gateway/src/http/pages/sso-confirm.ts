import type { IncomingMessage, ServerResponse } from 'node:http'
import { ExternalIdentityFlowKind, type PendingExternalIdentity } from '@parley/contracts/auth'
import { sessionOf } from '../../credentials/browser-session.ts'
import type { AuthContext, Handler } from '../auth/context.ts'
import { failureOf, Refusal } from '../failure.ts'
import { dropPendingFlow, isPendingFlow } from '../pending-flow.ts'
import { queryOf } from '../redirect.ts'
import { beginSession } from '../session.ts'
import { alert, field, hidden } from './fields.ts'
import { formToken, readForm } from './form.ts'
import { goOn } from './go-on.ts'
import { html } from './html.ts'
import { replyPage } from './page.ts'

/** `GET /sso/confirm`: what came back from a provider, to be confirmed. */
export const ssoConfirmPage: Handler = async (context, request, response) => {
  const token = queryOf(request).get('token') ?? ''
  return show(context, request, response, token, await pendingFlow(context, request, token))
}

/** `POST /sso/confirm` */
export const submitSsoConfirm: Handler = async (context, request, response) => {
  const form = await readForm(context, request)
  const [token = '', login] = [form.get('token'), form.get('login')]
  const pending = await pendingFlow(context, request, token)
  if (form.get('decision') === 'cancel') {
    await context.identities.cancelExternalIdentityFlow({ token })
  } else {
    try {
      if (pending.kind === ExternalIdentityFlowKind.LINK_ACCOUNT)
        await context.identities.confirmExternalIdentityLink({ token })
      else await createAccount(context, response, token, login ?? '')
    } catch (thrown) {
      const { status, text } = failureOf(thrown, context.metrics.failed)
      return show(context, request, response, token, pending, { status, text, login })
    }
  }
  dropPendingFlow(context, response)
  return goOn(request, response, pending.redirectPath)
}

async function createAccount(context: AuthContext, response: ServerResponse, token: string, login: string) {
  let answered = new Headers()
  const onHeader = (headers: Headers) => (answered = headers)
  await context.identities.createExternalIdentityAccount({ token, login }, { onHeader })
  const session = sessionOf(answered)
  if (session) beginSession(context, session, response)
}

async function pendingFlow(context: AuthContext, request: IncomingMessage, token: string) {
  if (!isPendingFlow(context, request, token))
    throw new Refusal(403, 'This sign-in began in another browser, or too long ago. Begin again.')
  const { pending } = await context.identities.getPendingExternalIdentity({ token })
  if (!pending) throw new Refusal(404, 'This sign-in is over. Begin again.')
  return pending
}

function show(
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  pending: PendingExternalIdentity,
  failure?: { status: number; text: string; login: string | undefined },
): Promise<void> {
  const linking = pending.kind === ExternalIdentityFlowKind.LINK_ACCOUNT
  const title = linking ? 'Link an identity' : 'Create an account'
  const who = pending.verifiedEmail || pending.displayNameHint || pending.loginHint
  const body = html`<h1>${title}</h1>
    ${alert(failure?.text)}
    <p>You signed in at <strong>${pending.providerLabel}</strong>${who && html` as <strong>${who}</strong>`}.</p>
    <form method="post" action="/sso/confirm">
      ${formToken(context, request, response)} ${hidden('token', token)}
      ${
        !linking &&
        field({
          ...{ label: 'Login', name: 'login', autocomplete: 'username', value: failure?.login ?? pending.loginHint },
          hint: '2 to 32 letters, digits, dots, hyphens and underscores',
        })
      }
      <button class="main" name="decision" value="confirm">
        ${linking ? 'Link it to my account' : 'Create the account'}
      </button>
      <button name="decision" value="cancel" formnovalidate>Cancel</button>
    </form>`
  return replyPage(request, response, { status: failure?.status ?? 200, title, body })
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { internalPath } from '@parley/credentials'
import { headerOf } from '@parley/runtime'
import type { AuthContext } from '../auth/context.ts'
import { browserHandle } from '../browser-handle.ts'
import { rememberBrowser } from '../known-browser.ts'
import { keepPendingFlow } from '../pending-flow.ts'
import { queryOf, redirect, withParameter } from '../redirect.ts'
import { beginSession, browserUser } from '../session.ts'
import { loginError } from './login-error.ts'

/** Timeout that includes requests to the provider for tokens, keys and the profile. */
const timeoutMs = 30_000

/** `GET /auth/providers/{id}/callback`: the response of the provider, delivered by the browser. */
export async function finishProviderLogin(
  context: AuthContext,
  providerId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const user = await browserUser(context, request, response)
  const query = queryOf(request).toString()
  const cameBack = {
    providerId,
    query,
    browserHandle: browserHandle(context, request) ?? '',
    userId: user?.caller.userId ?? '',
    userAgent: headerOf(request, 'user-agent') ?? '',
  }
  const { redirectPath, outcome } = await context.signIn.finishProviderLogin(cameBack, { timeoutMs })
  const path = internalPath(redirectPath) ?? '/'
  switch (outcome.case) {
    case 'session':
      beginSession(context, outcome.value, response)
      rememberBrowser(context, request, response, [outcome.value.login])
      return redirect(response, 307, path)
    case 'pendingToken':
      keepPendingFlow(context, response, outcome.value)
      return redirect(response, 307, withParameter('/sso/confirm', 'token', outcome.value))
    case 'alreadyLinked':
      return redirect(response, 307, path)
    case 'error':
      // The user remains signed in, and the page from which they came can explain the conflict.
      if (outcome.value === 'external_identity_conflict')
        return redirect(response, 307, withParameter(path, 'error', outcome.value))
      return redirect(response, 307, loginError(outcome.value, path))
    case undefined:
      return redirect(response, 307, loginError('provider_failed', path))
  }
}

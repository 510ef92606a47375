import type { IncomingMessage, ServerResponse } from 'node:http'
import { internalPath } from '@parley/credentials'
import { headerOf } from '@parley/runtime'
import type { AuthContext } from '../auth/context.ts'
import { browserHandle } from '../browser-handle.ts'
import { rememberBrowser } from '../known-browser.ts'
import { storePendingFlow } from '../pending-flow.ts'
import { queryOf, redirect, addParameter } from '../redirect.ts'
import { setSessionCookies, authenticateBrowser } from '../session.ts'
import { loginErrorPath } from './login-error.ts'

/** The service `accounts` requests tokens, keys and the profile from the provider during the call. */
const timeoutMs = 30_000

export async function finishProviderLogin(
  context: AuthContext,
  providerId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const user = await authenticateBrowser(context, request, response)
  const query = queryOf(request).toString()
  const callback = {
    providerId,
    query,
    browserHandle: browserHandle(context, request) ?? '',
    userId: user?.caller.userId ?? '',
    userAgent: headerOf(request, 'user-agent') ?? '',
  }
  const { redirectPath, outcome } = await context.signIn.finishProviderLogin(callback, { timeoutMs })
  const path = internalPath(redirectPath) ?? '/'
  switch (outcome.case) {
    case 'session':
      setSessionCookies(context, outcome.value, response)
      rememberBrowser(context, request, response, [outcome.value.login])
      return redirect(response, 307, path)
    case 'pendingToken':
      storePendingFlow(context, response, outcome.value)
      return redirect(response, 307, addParameter('/sso/confirm', 'token', outcome.value))
    case 'alreadyLinked':
      return redirect(response, 307, path)
    case 'error':
      // The user remains signed in, and the page from which they came can explain the conflict.
      if (outcome.value === 'external_identity_conflict')
        return redirect(response, 307, addParameter(path, 'error', outcome.value))
      return redirect(response, 307, loginErrorPath(outcome.value, path))
    case undefined:
      return redirect(response, 307, loginErrorPath('provider_failed', path))
  }
}

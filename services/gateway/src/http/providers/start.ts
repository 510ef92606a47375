import type { IncomingMessage, ServerResponse } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { internalPath } from '@parley/credentials'
import { tooManyProviderSignIns } from '../../errors.ts'
import { clientAddressOf, type AuthContext } from '../auth/context.ts'
import { ensureBrowserHandle } from '../browser-handle.ts'
import { queryOf, redirect } from '../redirect.ts'
import { authenticateBrowser } from '../session.ts'
import { loginErrorPath, type LoginError } from './login-error.ts'

/** The service `accounts` may load the provider's configuration during the call. */
const timeoutMs = 15_000

const errors = new Map<Code, LoginError>([
  [Code.NotFound, 'provider_not_found'],
  [Code.Unauthenticated, 'authentication_required'],
])

export async function startProviderLogin(
  context: AuthContext,
  providerId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const query = queryOf(request)
  const redirectPath = internalPath(query.get('redirect')) ?? '/'
  // The token of StartExternalIdentityLink.
  const linkStart = query.get('intent') === 'link' ? (query.get('link_start') ?? '') : ''
  if (query.get('intent') === 'link' && linkStart === '')
    return redirect(response, 307, loginErrorPath('authentication_required', redirectPath))
  await countStart(context, request)
  const user = await authenticateBrowser(context, request, response)
  const handle = ensureBrowserHandle(context, request, response)
  const start = { providerId, redirectPath, browserHandle: handle, linkStart, userId: user?.caller.userId ?? '' }
  try {
    const { authorizeUrl } = await context.signIn.startProviderLogin(start, { timeoutMs })
    return await redirect(response, 307, authorizeUrl)
  } catch (error) {
    const code = error instanceof ConnectError ? error.code : undefined
    if (code === undefined || code === Code.Internal || code === Code.Unknown) context.metrics.reportFailure(error)
    return redirect(response, 307, loginErrorPath(errors.get(code ?? Code.Unknown) ?? 'provider_failed', redirectPath))
  }
}

/** Limited, because anybody can start a sign-in, and each is stored for a while. */
async function countStart(context: AuthContext, request: IncomingMessage): Promise<void> {
  const { allowed, retryAfterMs } = await context.providerSignIns.consume(clientAddressOf(context, request))
  if (!allowed) throw tooManyProviderSignIns(retryAfterMs)
}

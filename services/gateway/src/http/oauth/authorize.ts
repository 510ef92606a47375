import type { Handler } from '../auth/context.ts'
import { replyMessage } from '../pages/message.ts'
import { queryOf, redirect } from '../redirect.ts'
import { authenticateBrowser } from '../session.ts'
import { readAuthorizationRequest } from './authorization-request.ts'
import { storePendingRequest, issueCode } from './consent.ts'

export const authorize: Handler = async (context, request, response) => {
  const read = readAuthorizationRequest(queryOf(request), context)
  if (read.kind === 'untrusted_redirect')
    return replyMessage(request, response, {
      status: 400,
      heading: 'invalidRequest',
      text: 'untrustedRedirect',
    })
  if (read.kind === 'invalid') return redirect(response, 302, read.redirectUrl)
  const user = await authenticateBrowser(context, request, response)
  if (!user) {
    const back = `/oauth/authorize?${queryOf(request).toString()}`
    return redirect(response, 302, `/login?${new URLSearchParams({ redirect: back }).toString()}`)
  }
  const { userId } = user.caller
  const { granted } = await context.signIn.hasConsent({ userId, origin: new URL(read.request.redirectUri).origin })
  if (granted) return redirect(response, 302, await issueCode(context, read.request, { user, consentedNow: false }))
  storePendingRequest(context, response, read.request, user)
  return redirect(response, 302, '/oauth/consent')
}

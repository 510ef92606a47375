import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieSecrets, type SignedIn } from '@parley/credentials'
import { noPendingRequest } from '../../errors.ts'
import type { AuthContext, UserHandler } from '../auth/context.ts'
import { readJsonObject, textFields } from '../auth/json-body.ts'
import { setCookie, deleteCookie, readCookie } from '../cookies.ts'
import { replyJson } from '../reply.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { unsealRequest, pendingRequestSeconds, sealRequest } from './pending-request.ts'
import { responseUrl } from './redirect-target.ts'

const cookieName = 'parley_oauth'

export function storePendingRequest(
  context: AuthContext,
  response: ServerResponse,
  authorization: AuthorizationRequest,
  user: SignedIn,
) {
  setCookie(
    context,
    response,
    cookieName,
    sealRequest(context.cookieSigningSecret, authorization, user),
    pendingRequestSeconds,
  )
}

/** Throws `failed_precondition` if no request of this user waits for consent in this browser. */
function readPendingRequest(context: AuthContext, request: IncomingMessage, user: SignedIn): AuthorizationRequest {
  const sealed = readCookie(context, request.headers.cookie, cookieName)
  const candidates = cookieSecrets(context).map((secret) => unsealRequest(secret, sealed, user))
  const authorization = candidates.find((request) => request !== undefined)
  if (!authorization) throw noPendingRequest()
  return authorization
}

async function decide(
  context: AuthContext,
  response: ServerResponse,
  decision: { authorization: AuthorizationRequest; user: SignedIn; granted: boolean },
): Promise<string> {
  const { authorization, granted } = decision
  const { userId, credentialId } = decision.user.caller
  const { origin } = new URL(authorization.redirectUri)
  await context.signIn.decideConsent({ userId, credentialId, origin, granted })
  const consent = { user: decision.user, consentedNow: true }
  const url = granted ? await issueCode(context, authorization, consent) : deniedUrl(context, authorization)
  deleteCookie(context, response, cookieName)
  return url
}

export async function issueCode(
  context: AuthContext,
  authorization: AuthorizationRequest,
  { user, consentedNow }: { user: SignedIn; consentedNow: boolean },
): Promise<string> {
  const { userId, credentialId } = user.caller
  const { redirectUri, codeChallenge, state } = authorization
  const { code } = await context.signIn.issueAuthorizationCode({
    ...{ userId, credentialId, redirectUri, codeChallenge },
    consentedNow,
  })
  return responseUrl(context, redirectUri, { code, state })
}

const deniedUrl = (context: AuthContext, { redirectUri, state }: AuthorizationRequest) =>
  responseUrl(context, redirectUri, { error: 'access_denied', state })

export const consentRequest: UserHandler = (context, request, response, user) => {
  const { redirectUri } = readPendingRequest(context, request, user)
  return replyJson(request, response, 200, { redirectUri, redirectOrigin: new URL(redirectUri).origin })
}

const decisionHandler =
  (granted: boolean): UserHandler =>
  async (context, request, response, user) => {
    const { redirectUri: shown } = textFields(await readJsonObject(request), 'redirectUri')
    const authorization = readPendingRequest(context, request, user)
    // Another client may have started a request since the page was shown.
    if (shown !== authorization.redirectUri) throw noPendingRequest()
    const redirectUrl = await decide(context, response, { authorization, user, granted })
    return replyJson(request, response, 200, { redirectUrl })
  }

export const approveConsent = decisionHandler(true)
export const denyConsent = decisionHandler(false)

import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieSecrets, type SignedIn } from '@parley/credentials'
import { noPendingRequest } from '../../errors.ts'
import type { AuthContext, UserHandler } from '../auth/context.ts'
import { readJsonObject, textFields } from '../auth/json-body.ts'
import { keepCookie, dropCookie, readKept } from '../cookies.ts'
import { replyJson } from '../reply.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { openRequest, pendingRequestSeconds, sealRequest } from './pending-request.ts'
import { answeredTo } from './redirect-target.ts'

const name = 'parley_oauth'

/** Keeps a request in the browser until its user has decided. */
export function keepRequest(
  context: AuthContext,
  response: ServerResponse,
  authorization: AuthorizationRequest,
  user: SignedIn,
) {
  keepCookie(
    context,
    response,
    name,
    sealRequest(context.cookieSigningSecret, authorization, user),
    pendingRequestSeconds,
  )
}

/** The request of this user that waits for consent in this browser. Throws `failed_precondition` if there is none. */
function pendingRequest(context: AuthContext, request: IncomingMessage, user: SignedIn): AuthorizationRequest {
  const sealed = readKept(context, request.headers.cookie, name)
  const opened = cookieSecrets(context).map((secret) => openRequest(secret, sealed, user))
  const authorization = opened.find((request) => request !== undefined)
  if (!authorization) throw noPendingRequest()
  return authorization
}

/** Grants or refuses the request of a client; returns the address to redirect the browser to. */
async function decide(
  context: AuthContext,
  response: ServerResponse,
  decided: { authorization: AuthorizationRequest; user: SignedIn; granted: boolean },
): Promise<string> {
  const { authorization, granted } = decided
  const { userId, credentialId } = decided.user.caller
  const { origin } = new URL(authorization.redirectUri)
  await context.signIn.decideConsent({ userId, credentialId, origin, granted })
  const consent = { user: decided.user, consentedNow: true }
  const url = granted ? await letIn(context, authorization, consent) : refusalOf(context, authorization)
  dropCookie(context, response, name)
  return url
}

/** The client's address with a fresh authorization code. */
export async function letIn(
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
  return answeredTo(context, redirectUri, { code, state })
}

const refusalOf = (context: AuthContext, { redirectUri, state }: AuthorizationRequest) =>
  answeredTo(context, redirectUri, { error: 'access_denied', state })

/** `GET /oauth/consent/request` */
export const consentRequest: UserHandler = (context, request, response, user) => {
  const { redirectUri } = pendingRequest(context, request, user)
  return replyJson(request, response, 200, { redirectUri, redirectOrigin: new URL(redirectUri).origin })
}

const deciding =
  (granted: boolean): UserHandler =>
  async (context, request, response, user) => {
    const { redirectUri: shown } = textFields(await readJsonObject(request), 'redirectUri')
    const authorization = pendingRequest(context, request, user)
    // Another client may have started a request since the page was shown; the decision does not apply to that one.
    if (shown !== authorization.redirectUri) throw noPendingRequest()
    const redirectUrl = await decide(context, response, { authorization, user, granted })
    return replyJson(request, response, 200, { redirectUrl })
  }

/** `POST /oauth/consent/approve` */
export const approveConsent = deciding(true)
/** `POST /oauth/consent/deny` */
export const denyConsent = deciding(false)

import { Code, ConnectError } from '@parley/client'
import { csrfToken } from './server.ts'

/** The request of a web client on another origin for access to the account of the signed-in user. */
export type ConsentRequest = { redirectUri: string; redirectOrigin: string }

/**
 * The pending request of this browser. Fails with `unauthenticated` if the user is not signed in, with
 * `failed_precondition` if there is no request, and with `unavailable` for other responses that are not successful.
 */
export const consentRequest = async (): Promise<ConsentRequest> =>
  (await readAnswer(await fetch('/oauth/consent/request'))) as ConsentRequest

/** Returns the URL to continue with. */
export async function decideConsent({ redirectUri }: ConsentRequest, decision: 'approve' | 'deny'): Promise<string> {
  const response = await fetch(`/oauth/consent/${decision}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken() ?? '' },
    body: JSON.stringify({ redirectUri }),
  })
  return ((await readAnswer(response)) as { redirectUrl: string }).redirectUrl
}

async function readAnswer(response: Response): Promise<unknown> {
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer
  const code =
    response.status === 401
      ? Code.Unauthenticated
      : response.status === 400
        ? Code.FailedPrecondition
        : Code.Unavailable
  throw new ConnectError((answer as { error?: string } | undefined)?.error ?? '', code)
}

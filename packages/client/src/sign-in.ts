import { Code, ConnectError } from '@connectrpc/connect'

/** Who signed in. */
export type SignedIn = { userId: string; login: string; token: string }

/** Making an account by a mailed code, and a new password by a mailed link. */
export type AccountSteps = {
  /** Mails a code to an address; the answer is the same whether an account can be made with it or not. */
  requestRegistrationCode(request: { email: string }): Promise<void>
  /** The token that `completeRegistration` wants. Fails with `invalid_argument` for a wrong code. */
  verifyRegistrationCode(request: { email: string; code: string }): Promise<{ token: string }>
  /** Makes the account and signs in. */
  completeRegistration(request: { token: string; login: string; password: string }): Promise<SignedIn>
  /** Mails a link that sets a new password; the answer is the same whether the address is known or not. */
  requestPasswordReset(request: { email: string }): Promise<void>
  /** Sets a new password by the token of that link. It does not sign in. */
  resetPassword(request: { token: string; password: string }): Promise<void>
}

type Fetch = typeof globalThis.fetch

const codes = new Map<number, Code>([
  [400, Code.InvalidArgument],
  [401, Code.Unauthenticated],
  [403, Code.PermissionDenied],
  [404, Code.NotFound],
  [409, Code.AlreadyExists],
  [413, Code.ResourceExhausted],
  [429, Code.ResourceExhausted],
  [503, Code.Unavailable],
  [504, Code.DeadlineExceeded],
])

export async function signIn(
  baseUrl: string,
  fetch: Fetch,
  credentials: { login: string; password: string },
): Promise<SignedIn> {
  const body = { identifier: credentials.login, password: credentials.password }
  return signedInOf(await post(baseUrl, fetch, 'login', body))
}

/** `keep` is given whoever signs in by one of the steps. */
export function accountSteps(baseUrl: string, fetch: Fetch, keep: (signedIn: SignedIn) => unknown): AccountSteps {
  return {
    async requestRegistrationCode({ email }) {
      await post(baseUrl, fetch, 'register', { email })
    },
    async verifyRegistrationCode({ email, code }) {
      const { completionToken } = await post(baseUrl, fetch, 'register/verify-code', { email, code })
      if (typeof completionToken === 'string') return { token: completionToken }
      throw new ConnectError('the server took the code without a token to go on with', Code.Unknown)
    },
    async completeRegistration({ token, login, password }) {
      const body = { token, login, password, passwordConfirmation: password }
      const signedIn = signedInOf(await post(baseUrl, fetch, 'register/complete', body))
      keep(signedIn)
      return signedIn
    },
    async requestPasswordReset({ email }) {
      await post(baseUrl, fetch, 'forgot-password', { email })
    },
    async resetPassword({ token, password }) {
      await post(baseUrl, fetch, 'reset-password', { token, password })
    },
  }
}

async function post(baseUrl: string, fetch: Fetch, route: string, body: Record<string, string>) {
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(`${baseUrl}/auth/${route}`, { method: 'POST', headers, body: JSON.stringify(body) }))
}

function signedInOf(answer: Record<string, unknown>): SignedIn {
  const user = fieldsOf(answer.user)
  if (typeof answer.token !== 'string' || typeof user.id !== 'string' || typeof user.login !== 'string') {
    throw new ConnectError('the server answered a sign-in without saying who signed in', Code.Unknown)
  }
  return { userId: user.id, login: user.login, token: answer.token }
}

/** A code of the authorization-code flow for a token. */
export async function exchangeCode(baseUrl: string, fetch: Fetch, fields: Record<string, string>): Promise<SignedIn> {
  const headers = { 'content-type': 'application/json' }
  const answer = await answerOf(
    await fetch(`${baseUrl}/oauth/token`, { method: 'POST', headers, body: JSON.stringify(fields) }),
  )
  return signedInOf({ ...answer, token: answer.access_token })
}

export async function signOut(baseUrl: string, fetch: Fetch, token: string | undefined): Promise<void> {
  const csrfToken = csrfCookie()
  const response = await fetch(`${baseUrl}/auth/logout`, {
    method: 'POST',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(csrfToken === undefined ? {} : { 'x-csrf-token': csrfToken }),
    },
  })
  await answerOf(response)
}

/** The value pages of the server's own origin send back to prove that they are; undefined outside of a browser. */
function csrfCookie(): string | undefined {
  const { document }: { document?: { cookie?: string }; fetch: Fetch } = globalThis
  // Over https no other host of the domain can have set it.
  const names = /(?:^|;\s*)(__Host-)?parley_csrf=([^;]+)/g
  const found = [...(document?.cookie ?? '').matchAll(names)]
  return (found.find(([, own]) => own) ?? found[0])?.[2]
}

async function answerOf(response: Response): Promise<Record<string, unknown>> {
  const answer = fieldsOf(await response.json().catch(() => undefined))
  if (response.ok) return answer
  const message = typeof answer.error === 'string' ? answer.error : `the server answered ${response.status}`
  const retryAfter = response.headers.get('retry-after')
  throw new ConnectError(
    message,
    codes.get(response.status) ?? Code.Unknown,
    retryAfter === null ? undefined : { 'retry-after': retryAfter },
  )
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

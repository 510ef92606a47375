import { Code, ConnectError } from '@connectrpc/connect'
import { fieldsOf, type HttpPost } from './calls/http-post.ts'

/** The signed-in user. The token is empty if only a cookie was requested. */
export type SignedIn = { userId: string; login: string; token: string }

export type SessionOptions = {
  /** Creates no bearer token: the session is the cookie that the browser keeps. For pages of the server itself. */
  cookieOnly?: boolean
}

/**
 * Creates accounts with mailed codes or invites, resets passwords with mailed links, and verifies addresses with mailed
 * codes.
 */
export type AccountSteps = {
  /** Mails a code to an address; the answer is the same whether or not an account can be created with it. */
  requestRegistrationCode(request: { email: string }): Promise<void>
  /** Returns the token for `completeRegistration`. Fails with `invalid_argument` for a wrong code. */
  verifyRegistrationCode(request: { email: string; code: string }): Promise<{ token: string }>
  completeRegistration(request: NewAccount): Promise<SignedIn>
  /**
   * The address an invite was mailed to; empty for an invite link. Fails with `not_found` when the invite has ended.
   */
  getInvite(request: { token: string }): Promise<{ email: string }>
  /** Creates the account with an invite and signs in. Fails with `not_found` when the invite has ended. */
  acceptInvite(request: NewAccount): Promise<SignedIn>
  /** Mails a link that sets a new password; the answer is the same whether or not the address is known. */
  requestPasswordReset(request: { email: string }): Promise<void>
  /** Sets a new password with the token of that link. Does not sign in. */
  resetPassword(request: { token: string; password: string }): Promise<void>
  /** Mails a code to an address that is to be added to the signed-in account. */
  requestEmailCode(request: RecentProof & { email: string }): Promise<void>
  /**
   * Adds the address with that code. Fails with `invalid_argument` for a wrong code, and with `already_exists`
   * if another account has the address.
   */
  confirmEmailCode(request: RecentProof & { email: string; code: string }): Promise<void>
}

/**
 * Proof for changing the sign-in methods of an account: a sign-in within the last 30 minutes, or the password. A token
 * from the authorization-code flow does not allow such changes, even with the password. Without proof, calls fail with
 * the metadata `parley-needs: fresh-credential`; the code is `invalid_argument`, because the HTTP routes answer 400, as
 * for a wrong password.
 */
export type RecentProof = { currentPassword?: string }

/** An account to create with a token. */
export type NewAccount = SessionOptions & { token: string; login: string; password: string }

export async function signIn(
  post: HttpPost,
  { login, password, cookieOnly }: SessionOptions & { login: string; password: string },
): Promise<SignedIn> {
  const body = { identifier: login, password, ...(cookieOnly && { cookieOnly }) }
  return signedInOf(await post('/auth/login', body))
}

/** `storeToken` receives the result of a successful sign-in; `token` returns the token of the signed-in user. */
export function accountSteps(
  post: HttpPost,
  storeToken: (signedIn: SignedIn) => unknown,
  token: () => string | undefined,
): AccountSteps {
  const createAccount = async (route: string, { token, login, password, cookieOnly }: NewAccount) => {
    const body = { token, login, password, passwordConfirmation: password, ...(cookieOnly && { cookieOnly }) }
    const signedIn = signedInOf(await post(`/auth/${route}`, body))
    storeToken(signedIn)
    return signedIn
  }
  return {
    async requestRegistrationCode({ email }) {
      await post('/auth/register', { email })
    },
    async verifyRegistrationCode({ email, code }) {
      const { completionToken } = await post('/auth/register/verify-code', { email, code })
      if (typeof completionToken === 'string') return { token: completionToken }
      throw new ConnectError('the server accepted the code without returning a token', Code.Unknown)
    },
    completeRegistration: (request) => createAccount('register/complete', request),
    async getInvite({ token }) {
      const { email } = await post('/auth/invite', { token })
      return { email: typeof email === 'string' ? email : '' }
    },
    acceptInvite: (request) => createAccount('invite/accept', request),
    async requestPasswordReset({ email }) {
      await post('/auth/forgot-password', { email })
    },
    async resetPassword({ token, password }) {
      await post('/auth/reset-password', { token, password })
    },
    async requestEmailCode(request) {
      await post('/auth/verify-email/request-code', request, credentialHeaders(token()))
    },
    async confirmEmailCode(request) {
      await post('/auth/verify-email/confirm-code', request, credentialHeaders(token()))
    },
  }
}

function signedInOf(answer: Record<string, unknown>): SignedIn {
  const user = fieldsOf(answer.user)
  const { token = '' } = answer
  if (typeof token !== 'string' || typeof user.id !== 'string' || typeof user.login !== 'string') {
    throw new ConnectError('the server answered a sign-in without the user or the token', Code.Unknown)
  }
  return { userId: user.id, login: user.login, token }
}

/** Exchanges a code of the authorization-code flow for a token. */
export async function exchangeCode(post: HttpPost, fields: Record<string, string>): Promise<SignedIn> {
  const answer = await post('/oauth/token', fields)
  return signedInOf({ ...answer, token: answer.access_token ?? null })
}

export async function signOut(post: HttpPost, token: string | undefined): Promise<void> {
  await post('/auth/logout', undefined, credentialHeaders(token))
}

/**
 * Headers with the bearer token, if there is one, and with the CSRF token of a page. For a session cookie, the CSRF
 * token proves that a page of this server makes the request.
 */
function credentialHeaders(token: string | undefined): Record<string, string> {
  const csrfToken = csrfCookie()
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
  }
}

/** The CSRF token that pages of the server send back to prove their origin; undefined outside a browser. */
function csrfCookie(): string | undefined {
  const { document }: { document?: { cookie?: string }; fetch: unknown } = globalThis
  // Over https the cookie has the prefix `__Host-`; no other host of the domain can set such a cookie.
  const names = /(?:^|;\s*)(__Host-)?parley_csrf=([^;]+)/g
  const found = [...(document?.cookie ?? '').matchAll(names)]
  return (found.find(([, own]) => own) ?? found[0])?.[2]
}

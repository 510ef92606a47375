import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthContext, Handler } from '../auth/context.ts'
import { countRequest } from '../count-request.ts'
import { Refusal } from '../failure.ts'
import { authorize } from '../oauth/authorize.ts'
import { consentPage, submitConsent } from './consent.ts'
import { loginPage, submitLogin } from './login.ts'
import { replyFailure } from './message.ts'
import { resetPasswordPage, submitForgotPassword, submitResetPassword } from './password.ts'
import { registerPage, submitAccount, submitCode, submitEmail } from './register.ts'
import { ssoConfirmPage, submitSsoConfirm } from './sso-confirm.ts'

/** What a path answers to GET and to a form. */
type PageRoute = { get?: Handler; post?: Handler }

/** The plain pages of sign-in, until a web client takes their paths over. */
export const pageRoutes: ReadonlyMap<string, PageRoute> = new Map<string, PageRoute>([
  ['/login', { get: loginPage, post: submitLogin }],
  ['/register', { get: registerPage, post: submitEmail }],
  ['/register/code', { post: submitCode }],
  ['/register/complete', { post: submitAccount }],
  ['/forgot-password', { post: submitForgotPassword }],
  ['/reset-password', { get: resetPasswordPage, post: submitResetPassword }],
  ['/sso/confirm', { get: ssoConfirmPage, post: submitSsoConfirm }],
  ['/oauth/authorize', { get: authorize }],
  ['/oauth/consent', { get: consentPage, post: submitConsent }],
])

/** Answers a page; failures are pages too. */
export async function servePage(
  context: AuthContext,
  { get, post }: PageRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    countRequest(context, request)
    const handle =
      request.method === 'GET' || request.method === 'HEAD' ? get : request.method === 'POST' ? post : undefined
    if (!handle) {
      const allow = [get && 'GET, HEAD', post && 'POST'].filter(Boolean).join(', ')
      throw new Refusal(405, 'This page cannot be used so.', { allow })
    }
    await handle(context, request, response)
  } catch (thrown) {
    request.resume()
    await replyFailure(context, request, response, thrown)
  }
}

import { Code } from '@connectrpc/connect'
import { jsonRoute, type JsonRoute } from '../json-route.ts'
import { approveConsent, consentRequest, denyConsent } from '../oauth/consent.ts'
import { login } from './login.ts'
import { logout, revokeToken } from './logout.ts'
import { forgotPassword, resetPassword } from './password-reset.ts'
import { acceptInvite, completeRegistration, describeInvite, register, verifyCode } from './registration.ts'
import { confirmEmailCode, requestEmailCode } from './verify-email.ts'

// The service `accounts` answers failed_precondition if no mail server is configured.
const mailStatuses = { [Code.FailedPrecondition]: 503 }
// The service `accounts` answers resource_exhausted if this server has as many accounts as it may have.
const userLimitStatuses = { [Code.ResourceExhausted]: 403 }

/** `open` routes need no CSRF token: they do not act for a signed-in user. */
export const jsonRoutes: ReadonlyMap<string, JsonRoute> = new Map([
  ['/auth/login', jsonRoute.open(login)],
  ['/auth/register', jsonRoute.open(register, mailStatuses)],
  ['/auth/register/verify-code', jsonRoute.open(verifyCode)],
  ['/auth/register/complete', jsonRoute.open(completeRegistration, userLimitStatuses)],
  ['/auth/invite', jsonRoute.open(describeInvite)],
  ['/auth/invite/accept', jsonRoute.open(acceptInvite, userLimitStatuses)],
  ['/auth/verify-email/request-code', jsonRoute.user(requestEmailCode, mailStatuses)],
  ['/auth/verify-email/confirm-code', jsonRoute.user(confirmEmailCode)],
  ['/auth/forgot-password', jsonRoute.open(forgotPassword, mailStatuses)],
  ['/auth/reset-password', jsonRoute.open(resetPassword)],
  ['/auth/logout', jsonRoute.anyone(logout)],
  ['/auth/revoke-token', jsonRoute.anyone(revokeToken)],
  ['/oauth/consent/request', jsonRoute.browser('GET', consentRequest)],
  ['/oauth/consent/approve', jsonRoute.browser('POST', approveConsent)],
  ['/oauth/consent/deny', jsonRoute.browser('POST', denyConsent)],
])

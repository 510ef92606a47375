import type { ServiceImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { acceptInvite } from './accept-invite.ts'
import { completeRegistration } from './complete-registration.ts'
import { confirmEmailCode } from './confirm-email-code.ts'
import { decideConsent } from './decide-consent.ts'
import { exchangeAuthorizationCode } from './exchange-authorization-code.ts'
import { finishProviderLogin } from './finish-provider-login.ts'
import { getInvite } from './get-invite.ts'
import { hasConsent } from './has-consent.ts'
import { issueAuthorizationCode } from './issue-authorization-code.ts'
import { requestEmailCode } from './request-email-code.ts'
import { requestPasswordReset } from './request-password-reset.ts'
import { requestRegistrationCode } from './request-registration-code.ts'
import { resetPassword } from './reset-password.ts'
import { rotateSession } from './rotate-session.ts'
import { startProviderLogin } from './start-provider-login.ts'
import { verifyRegistrationCode } from './verify-registration-code.ts'

export const signIn = (ctx: Context) =>
  ({
    requestRegistrationCode: requestRegistrationCode(ctx),
    verifyRegistrationCode: verifyRegistrationCode(ctx),
    completeRegistration: completeRegistration(ctx),
    getInvite: getInvite(ctx),
    acceptInvite: acceptInvite(ctx),
    requestEmailCode: requestEmailCode(ctx),
    confirmEmailCode: confirmEmailCode(ctx),
    requestPasswordReset: requestPasswordReset(ctx),
    resetPassword: resetPassword(ctx),
    rotateSession: rotateSession(ctx),
    startProviderLogin: startProviderLogin(ctx),
    finishProviderLogin: finishProviderLogin(ctx),
    hasConsent: hasConsent(ctx),
    decideConsent: decideConsent(ctx),
    issueAuthorizationCode: issueAuthorizationCode(ctx),
    exchangeAuthorizationCode: exchangeAuthorizationCode(ctx),
  }) satisfies ServiceImpl<typeof SignInInternalService>

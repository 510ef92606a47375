import type { ServiceImpl } from '@connectrpc/connect'
import type { ExternalIdentityAuthService } from '@parley/contracts/auth'
import type { Context } from '../../context.ts'
import { cancelExternalIdentityFlow } from './cancel-external-identity-flow.ts'
import { confirmExternalIdentityLink } from './confirm-external-identity-link.ts'
import { createExternalIdentityAccount } from './create-external-identity-account.ts'
import { getPendingExternalIdentity } from './get-pending-external-identity.ts'

export const externalIdentityAuth = (ctx: Context) =>
  ({
    getPendingExternalIdentity: getPendingExternalIdentity(ctx),
    createExternalIdentityAccount: createExternalIdentityAccount(ctx),
    confirmExternalIdentityLink: confirmExternalIdentityLink(ctx),
    cancelExternalIdentityFlow: cancelExternalIdentityFlow(ctx),
  }) satisfies ServiceImpl<typeof ExternalIdentityAuthService>

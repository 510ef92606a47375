import type { ServiceImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import { deleteAvatar } from './delete-avatar.ts'
import { deleteCustomStatus } from './delete-custom-status.ts'
import { disconnectExternalIdentity } from './disconnect-external-identity.ts'
import { endMySession } from './end-my-session.ts'
import { listEmailAddresses } from './list-email-addresses.ts'
import { listMySessions } from './list-my-sessions.ts'
import { listExternalIdentities } from './list-external-identities.ts'
import { listOAuthConsents } from './list-oauth-consents.ts'
import { removeEmailAddress } from './remove-email-address.ts'
import { startExternalIdentityLink } from './start-external-identity-link.ts'
import { deleteMyAccount } from './delete-my-account.ts'
import { requestAccountDeletion } from './request-account-deletion.ts'
import { updateCustomStatus } from './update-custom-status.ts'
import { updatePassword } from './update-password.ts'
import { updatePresence } from './update-presence.ts'
import { updateProfile } from './update-profile.ts'
import { updateSettings } from './update-settings.ts'
import { uploadAvatar } from './upload-avatar.ts'
import { withdrawOAuthConsent } from './withdraw-oauth-consent.ts'

export const myAccount = (ctx: Context) =>
  ({
    updateProfile: updateProfile(ctx),
    uploadAvatar: uploadAvatar(ctx),
    deleteAvatar: deleteAvatar(ctx),
    updatePassword: updatePassword(ctx),
    updateSettings: updateSettings(ctx),
    updatePresence: updatePresence(ctx),
    updateCustomStatus: updateCustomStatus(ctx),
    deleteCustomStatus: deleteCustomStatus(ctx),
    listExternalIdentities: listExternalIdentities(ctx),
    startExternalIdentityLink: startExternalIdentityLink(ctx),
    disconnectExternalIdentity: disconnectExternalIdentity(ctx),
    requestAccountDeletion: requestAccountDeletion(ctx),
    deleteMyAccount: deleteMyAccount(ctx),
    listMySessions: listMySessions(ctx),
    endMySession: endMySession(ctx),
    listEmailAddresses: listEmailAddresses(ctx),
    removeEmailAddress: removeEmailAddress(ctx),
    listOAuthConsents: listOAuthConsents(ctx),
    withdrawOAuthConsent: withdrawOAuthConsent(ctx),
  }) satisfies ServiceImpl<typeof MyAccountService>

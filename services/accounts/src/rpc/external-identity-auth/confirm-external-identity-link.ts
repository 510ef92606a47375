import type { MethodImpl } from '@connectrpc/connect'
import { ownerRoleId } from '@parley/permissions'
import type { ExternalIdentityAuthService } from '@parley/contracts/auth'
import type { Tx } from '@parley/postgres'
import { isOwnerEmail } from '../../actions/accounts/create-account.ts'
import { addRole } from '../../actions/accounts/assign-role-to.ts'
import { mailNotice } from '../../actions/accounts/mail-notice.ts'
import type { Context } from '../../context.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { flowNotFound, identityTaken } from '../../domain/identity-errors.ts'
import { newIdentity } from '../../actions/identities/identity.ts'
import { importAvatar } from '../../actions/identities/import-avatar.ts'
import { getPendingFlow, takePendingFlow } from '../../actions/identities/pending-flow.ts'
import { identityLinkedMail } from '../../engines/mail/index.ts'
import { logIdentityLinked, logOwnerAppointed } from '../../metrics.ts'
import { claimEmail, findTenOldestAddresses } from '../../store/emails.ts'
import { claimIdentityOrFindHolder } from '../../store/external-identities.ts'
import { changeUser, type Change } from '../../store/user-changes.ts'
import { hasVerifiedEmail, type UserWithRoles } from '../../store/users.ts'
import { toLinkedIdentity } from '../../view/external-identity.ts'

export function confirmExternalIdentityLink(
  ctx: Context,
): MethodImpl<typeof ExternalIdentityAuthService.method.confirmExternalIdentityLink> {
  return async ({ token }) => {
    const { identity, provider, userId } = await getPendingFlow(ctx, token, 'external_link')
    const at = ctx.now()
    const linked = newIdentity(identity, userId, at)
    let becomesOwner = false
    let noticeAddresses: string[] = []
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      await takePendingFlow(ctx, tx, 'external_link', token)
      const holder = await claimIdentityOrFindHolder(tx, linked)
      if (holder && holder.userId !== userId) throw identityTaken()
      if (holder) return undefined
      noticeAddresses = await findTenOldestAddresses(tx, userId)
      const announcements = [auditEvent('user_external_identity_linked', { provider_id: identity.providerId })]
      if (!(await adoptEmail(tx, user, identity.verifiedEmail, at))) return { announce: () => announcements }
      announcements.push(auditEvent('user_verified_email_added'))
      const roleChange = isOwnerEmail(ctx, identity.verifiedEmail)
        ? await addRole(tx, user, at, ownerRoleId)
        : undefined
      becomesOwner = roleChange !== undefined
      return {
        ...roleChange,
        announce: (version) => [...announcements, ...(roleChange?.announce(version) ?? [])],
      } satisfies Change
    })
    if (!changed) throw flowNotFound()
    if (becomesOwner) {
      await ctx.relay.waitUntilStored(changed.unrelayed)
      logOwnerAppointed(userId)
    } else ctx.relay.wake(changed.unrelayed)
    if (changed.isChanged) logIdentityLinked(userId, identity.providerId)
    const { login } = changed.user
    const details = { provider: provider.settings.label, at }
    mailNotice(ctx, noticeAddresses, 'identity_linked', (to) => identityLinkedMail(to, login, details))
    if (identity.avatarUrl !== '') ctx.background(importAvatar(ctx, userId, identity.avatarUrl))
    return { linkedIdentity: toLinkedIdentity(linked, provider) }
  }
}

/** Adds the address if the account has none and no other account has it. Returns whether it was added. */
async function adoptEmail(tx: Tx, user: UserWithRoles, email: string, at: Date): Promise<boolean> {
  if (email === '' || (await hasVerifiedEmail(tx, user.id))) return false
  return (await claimEmail(tx, user.id, email, { at, selfAdded: true })) === 'added'
}

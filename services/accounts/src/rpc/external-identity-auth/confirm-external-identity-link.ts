import type { MethodImpl } from '@connectrpc/connect'
import { ownerRoleId } from '@parley/permissions'
import type { ExternalIdentityAuthService } from '@parley/contracts/auth'
import type { Tx } from '@parley/postgres'
import { isOwnerEmail } from '../../actions/accounts/create-account.ts'
import { roleGiven } from '../../actions/accounts/give-role.ts'
import { mailOwner } from '../../actions/accounts/mail-owner.ts'
import type { Context } from '../../context.ts'
import { noted } from '../../domain/announcements.ts'
import { flowNotFound, identityTaken } from '../../domain/identity-errors.ts'
import { newIdentity } from '../../actions/identities/identity.ts'
import { importAvatar } from '../../actions/identities/import-avatar.ts'
import { getPending, takePending } from '../../actions/identities/pending.ts'
import { identityLinkedMail } from '../../engines/mail/index.ts'
import { identityLinked, ownerGranted } from '../../metrics.ts'
import { claimEmail, firstAddressesOf } from '../../store/emails.ts'
import { claimIdentity } from '../../store/external-identities.ts'
import { changeUser, type Change } from '../../store/user-changes.ts'
import { hasVerifiedEmail, type UserWithRoles } from '../../store/users.ts'
import { toLinkedIdentity } from '../../view/external-identity.ts'

export function confirmExternalIdentityLink(
  ctx: Context,
): MethodImpl<typeof ExternalIdentityAuthService.method.confirmExternalIdentityLink> {
  return async ({ token }) => {
    const { identity, provider, userId } = await getPending(ctx, token, 'external_link')
    const at = ctx.now()
    const linked = newIdentity(identity, userId, at)
    let makesOwner = false
    let noticeAddresses: string[] = []
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      await takePending(ctx, tx, 'external_link', token)
      const before = await claimIdentity(tx, linked)
      if (before && before.userId !== userId) throw identityTaken()
      if (before) return undefined
      noticeAddresses = await firstAddressesOf(tx, userId)
      const announcements = [noted('user_external_identity_linked', { provider_id: identity.providerId })]
      if (!(await emailAdopted(tx, user, identity.verifiedEmail, at))) return { announce: () => announcements }
      announcements.push(noted('user_verified_email_added'))
      const given = isOwnerEmail(ctx, identity.verifiedEmail) ? await roleGiven(tx, user, at, ownerRoleId) : undefined
      makesOwner = given !== undefined
      return {
        ...given,
        announce: (version) => [...announcements, ...(given?.announce(version) ?? [])],
      } satisfies Change
    })
    if (!changed) throw flowNotFound()
    if (makesOwner) {
      await ctx.relay.stored(changed.unannounced)
      ownerGranted(userId)
    } else ctx.relay.wake(changed.unannounced)
    if (changed.announced) identityLinked(userId, identity.providerId)
    const { login } = changed.user
    const how = { provider: provider.settings.label, at }
    mailOwner(ctx, noticeAddresses, 'identity_linked', (to) => identityLinkedMail(to, login, how))
    if (identity.avatarUrl !== '') ctx.background(importAvatar(ctx, userId, identity.avatarUrl))
    return { linkedIdentity: toLinkedIdentity(linked, provider) }
  }
}

/**
 * An account without an address adopts that of its new identity if it is free; an account with an address keeps its
 * own.
 */
async function emailAdopted(tx: Tx, user: UserWithRoles, email: string, at: Date): Promise<boolean> {
  if (email === '' || (await hasVerifiedEmail(tx, user.id))) return false
  return (await claimEmail(tx, user.id, email, { at, selfAdded: true })) === 'added'
}

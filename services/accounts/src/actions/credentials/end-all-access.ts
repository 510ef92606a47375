import type { Tx } from '@parley/postgres'
import { credentialsEnded, auditEvent, type EndReason } from '../../domain/announcements.ts'
import { endAllOf } from '../../store/end-credentials.ts'
import { invalidateCodesOf } from '../../store/email-codes.ts'
import { removeEmailsAddedSince } from '../../store/emails.ts'
import { deleteIdentitiesLinkedSince } from '../../store/external-identities.ts'
import { deleteFlowTokensOf } from '../../store/flow-tokens.ts'
import { withdrawAllConsents } from '../../store/oauth-consents.ts'
import type { Announcement, Change } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'

const hourMs = 3600_000

/** Reasons that suggest that somebody else had access to the account. */
const recoveryReasons: ReadonlySet<EndReason> = new Set([
  'logout',
  'password_changed',
  'password_reset',
  'account_deactivated',
])

/**
 * For a locked account: ends its sessions and tokens, invalidates unfinished flows, and withdraws consents to other web
 * clients. If `reason` is one of `recoveryReasons`, also removes addresses and identities that were added in the last
 * hour. The caller may add to the returned change.
 */
export async function endAllAccess(
  tx: Tx,
  user: UserWithRoles,
  reason: EndReason,
  at: Date,
): Promise<Required<Omit<Change, 'raisesRolesVersion'>>> {
  await endAllOf(tx, user.id, at)
  const { set, announcements } = await revokeOtherAccess(tx, user, { at, removeRecent: recoveryReasons.has(reason) })
  const ended = credentialsEnded(user.id, at, { credentialIds: [], all: true, reason })
  return { set, announce: () => [ended, ...announcements] }
}

/**
 * For a locked account: invalidates unfinished flows and withdraws consents to other web clients. `removeRecent` also
 * removes addresses and identities that sessions of the account added in the last hour, because an attacker may have
 * added them to keep access. Those that the account was created with, and addresses added by an operator, stay.
 */
export async function revokeOtherAccess(
  tx: Tx,
  user: Pick<UserWithRoles, 'id' | 'authGeneration' | 'createdAt'>,
  { at, removeRecent }: { at: Date; removeRecent: boolean },
): Promise<{ set: { authGeneration: number }; announcements: Announcement[] }> {
  await deleteFlowTokensOf(tx, user.id)
  await invalidateCodesOf(tx, user.id)
  const origins = await withdrawAllConsents(tx, user.id)
  const since = new Date(Math.max(at.getTime() - hourMs, user.createdAt.getTime()))
  const addresses = removeRecent ? await removeEmailsAddedSince(tx, user.id, since) : 0
  const providerIds = removeRecent ? await deleteIdentitiesLinkedSince(tx, user.id, since) : []
  return {
    set: { authGeneration: user.authGeneration + 1 },
    announcements: [
      ...origins.map((origin) => auditEvent('oauth_consent_withdrawn', { origin })),
      ...Array.from({ length: addresses }, () => auditEvent('user_verified_email_removed')),
      ...providerIds.map((id) => auditEvent('user_external_identity_unlinked', { provider_id: id })),
    ],
  }
}

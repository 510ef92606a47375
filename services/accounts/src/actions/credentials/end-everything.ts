import type { Tx } from '@parley/postgres'
import { credentialsEnded, noted, type EndReason } from '../../domain/announcements.ts'
import { endAllOf } from '../../store/end-credentials.ts'
import { voidCodesOf } from '../../store/email-codes.ts'
import { removeEmailsAddedSince } from '../../store/emails.ts'
import { deleteIdentitiesLinkedSince } from '../../store/external-identities.ts'
import { deleteFlowTokensOf } from '../../store/flow-tokens.ts'
import { withdrawAllConsents } from '../../store/oauth-consents.ts'
import type { Announcement, Change } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'

const hourMs = 3600_000

/** Reasons that suggest that somebody else had access to the account. */
const recoveries: ReadonlySet<EndReason> = new Set([
  'logout',
  'password_changed',
  'password_reset',
  'account_deactivated',
])

/**
 * Ends every credential of a locked account, and everything started or added with them (see {@link dropWaysIn}).
 * Returns the change for {@link changeUser}, to be combined with further changes and announcements.
 */
export async function endEverything(
  tx: Tx,
  user: UserWithRoles,
  reason: EndReason,
  at: Date,
): Promise<Required<Omit<Change, 'changesRoles'>>> {
  await endAllOf(tx, user.id, at)
  const { set, announcements } = await dropWaysIn(tx, user, { at, newOnes: recoveries.has(reason) })
  const ended = credentialsEnded(user.id, at, { credentialIds: [], all: true, reason })
  return { set, announce: () => [ended, ...announcements] }
}

/**
 * Invalidates everything started with the credentials of a locked account (mailed links and codes, authorization codes,
 * identities being linked) and withdraws every consent to another web client. With `newOnes` it also removes the
 * addresses and identities that were added in the last hour, because that is what an attacker does first. It keeps
 * those from the creation of the account and those added by an operator.
 */
export async function dropWaysIn(
  tx: Tx,
  user: Pick<UserWithRoles, 'id' | 'authGeneration' | 'createdAt'>,
  { at, newOnes }: { at: Date; newOnes: boolean },
): Promise<{ set: { authGeneration: number }; announcements: Announcement[] }> {
  await deleteFlowTokensOf(tx, user.id)
  await voidCodesOf(tx, user.id)
  const origins = await withdrawAllConsents(tx, user.id)
  const since = new Date(Math.max(at.getTime() - hourMs, user.createdAt.getTime()))
  const addresses = newOnes ? await removeEmailsAddedSince(tx, user.id, since) : 0
  const providerIds = newOnes ? await deleteIdentitiesLinkedSince(tx, user.id, since) : []
  return {
    set: { authGeneration: user.authGeneration + 1 },
    announcements: [
      ...origins.map((origin) => noted('oauth_consent_withdrawn', { origin })),
      ...Array.from({ length: addresses }, () => noted('user_verified_email_removed')),
      ...providerIds.map((id) => noted('user_external_identity_unlinked', { provider_id: id })),
    ],
  }
}

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

/** What an account goes through when somebody may have got hold of it. */
const recoveries: ReadonlySet<EndReason> = new Set([
  'logout',
  'password_changed',
  'password_reset',
  'account_deactivated',
])

/**
 * Ends every credential of a locked account, and what was begun or added with them: see {@link dropWaysIn}. The change is for
 * {@link changeUser}, alone or with more to set and to announce.
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
 * Voids what was begun with the credentials of a locked account (mailed links and codes, authorization codes, identities
 * being linked) and withdraws every consent to another web client. `newOnes`: takes away addresses and identities of the
 * last hour, too, because a thief adds them first; those that the account was made with, or an operator added, stay.
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

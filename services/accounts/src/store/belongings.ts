import { eq, inArray, sql } from 'drizzle-orm'
import type { Tx } from '@parley/postgres'
import {
  credentials,
  emailCodes,
  emails,
  externalIdentities,
  flowTokens,
  handles,
  invites,
  oauthConsents,
  providerLogins,
  userRoles,
} from './schema.ts'
import type { UserRow } from './users.ts'

/** The columns of a tombstone: all that say something of a person are empty. */
export const nothingPersonal = {
  login: '',
  displayName: null,
  passwordHash: null,
  timezone: null,
  timeFormat: null,
  loginChangedAt: null,
  cooldownFrom: null,
  avatarKey: null,
  statusEmoji: null,
  statusText: null,
  statusExpiresAt: null,
  resetMailedAt: null,
  deactivatedAt: null,
} satisfies Partial<UserRow>

/** Deletes every row that belongs to an account but the account itself; answers how many there were. */
export async function eraseBelongings(tx: Tx, userId: string): Promise<number> {
  const addresses = tx.select({ key: emails.key }).from(emails).where(eq(emails.userId, userId))
  const identities = tx
    .select({ issuer: externalIdentities.issuer, subject: externalIdentities.subject })
    .from(externalIdentities)
    .where(eq(externalIdentities.userId, userId))
  const { payload } = flowTokens
  // Steps towards a new account are nobody's yet, but hold the address or the identity.
  const unowned = sql`${flowTokens.userId} = '' and (
    lower(${payload}->>'email') in ${addresses} or lower(${payload}->>'verifiedEmail') in ${addresses}
    or (${payload}->>'issuer', ${payload}->>'subject') in ${identities})`
  const deletions = [
    () => tx.delete(flowTokens).where(unowned),
    () => tx.delete(flowTokens).where(eq(flowTokens.userId, userId)),
    () => tx.delete(emailCodes).where(inArray(emailCodes.emailKey, addresses)),
    () => tx.delete(emailCodes).where(eq(emailCodes.userId, userId)),
    () => tx.delete(invites).where(eq(invites.createdBy, userId)),
    () => tx.delete(invites).where(inArray(sql`lower(${invites.email})`, addresses)),
    () => tx.delete(emails).where(eq(emails.userId, userId)),
    () => tx.delete(handles).where(eq(handles.ownerId, userId)),
    () => tx.delete(externalIdentities).where(eq(externalIdentities.userId, userId)),
    () => tx.delete(providerLogins).where(eq(providerLogins.linkUserId, userId)),
    () => tx.delete(oauthConsents).where(eq(oauthConsents.userId, userId)),
    () => tx.delete(userRoles).where(eq(userRoles.userId, userId)),
    () => tx.delete(credentials).where(eq(credentials.userId, userId)),
  ]
  let found = 0
  for (const deletion of deletions) found += (await deletion()).rowCount ?? 0
  return found
}

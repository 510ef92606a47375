import { eq, inArray, sql, type SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
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

/** Small enough to hold locks only briefly. */
const batchSize = 1000

/**
 * Stops after the first table from which it deleted a full batch: then `complete` is false, and rows may be left.
 * `found`: the number of deleted rows. The account itself stays.
 */
export async function eraseBelongings(tx: Tx, userId: string): Promise<{ found: number; complete: boolean }> {
  let found = 0
  for (const { table, where } of rowsInOrder(tx, userId)) {
    const batch = sql`delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${batchSize}))`
    const deleted = (await tx.execute(batch)).rowCount ?? 0
    found += deleted
    if (deleted === batchSize) return { found, complete: false }
  }
  return { found, complete: true }
}

/** Addresses and identities come after the rows that are found through them. */
function rowsInOrder(tx: Tx, userId: string): { table: PgTable; where: SQL | undefined }[] {
  const addresses = tx.select({ key: emails.key }).from(emails).where(eq(emails.userId, userId))
  const identities = tx
    .select({ issuer: externalIdentities.issuer, subject: externalIdentities.subject })
    .from(externalIdentities)
    .where(eq(externalIdentities.userId, userId))
  const { payload } = flowTokens
  // Flows that create an account have no user yet, but may contain an address or an identity of this user.
  const isOfNewAccount = sql`${flowTokens.userId} = '' and (
    lower(${payload}->>'email') in ${addresses} or lower(${payload}->>'verifiedEmail') in ${addresses}
    or (${payload}->>'issuer', ${payload}->>'subject') in ${identities})`
  return [
    { table: flowTokens, where: isOfNewAccount },
    { table: emailCodes, where: inArray(emailCodes.emailKey, addresses) },
    { table: invites, where: inArray(sql`lower(${invites.email})`, addresses) },
    // Addresses, logins and identities come early, so that they are free again soon, even if many other rows remain.
    { table: emails, where: eq(emails.userId, userId) },
    { table: handles, where: eq(handles.ownerId, userId) },
    { table: externalIdentities, where: eq(externalIdentities.userId, userId) },
    { table: userRoles, where: eq(userRoles.userId, userId) },
    { table: flowTokens, where: eq(flowTokens.userId, userId) },
    { table: emailCodes, where: eq(emailCodes.userId, userId) },
    { table: invites, where: eq(invites.createdBy, userId) },
    { table: providerLogins, where: eq(providerLogins.linkUserId, userId) },
    { table: oauthConsents, where: eq(oauthConsents.userId, userId) },
    { table: credentials, where: eq(credentials.userId, userId) },
  ]
}

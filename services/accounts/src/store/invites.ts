import { and, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { secretDigest, secretDigests, type SecretKeys } from '@parley/credentials'
import { newHandle } from '@parley/ids'
import type { Db, Reader, Tx } from '@parley/postgres'
import type { TokenContext } from './flow-tokens.ts'
import { invites } from './schema.ts'

export type InviteRow = typeof invites.$inferSelect

export async function insertInvite(
  tx: Tx,
  keys: SecretKeys,
  invite: Omit<InviteRow, 'digest' | 'uses'>,
): Promise<{ token: string; row: InviteRow }> {
  const token = newHandle()
  const row = { ...invite, digest: secretDigest(keys, 'invite', token), uses: 0 }
  await tx.insert(invites).values(row)
  return { token, row }
}

export async function lockInviteCount(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('parley: invite count'))`)
}

/** Leaves out expired invites; used-up and revoked ones have been deleted. */
export async function countInvites(db: Reader, now: Date): Promise<number> {
  return db.$count(invites, gt(invites.expiresAt, now))
}

export async function findInvite(
  db: Reader,
  { at, ...keys }: TokenContext,
  token: string,
): Promise<InviteRow | undefined> {
  const [row] = await db
    .select()
    .from(invites)
    .where(and(isToken(keys, token), gt(invites.expiresAt, at)))
  return row
}

/** Counts one use. Of several concurrent calls for the last use, one succeeds. */
export async function takeInvite(tx: Tx, { at, ...keys }: TokenContext, token: string): Promise<InviteRow | undefined> {
  const [taken] = await tx
    .update(invites)
    .set({ uses: sql`${invites.uses} + 1` })
    .where(and(isToken(keys, token), gt(invites.expiresAt, at)))
    .returning()
  if (taken && taken.uses >= taken.maxUses) await tx.delete(invites).where(eq(invites.id, taken.id))
  return taken
}

export type InviteKey = { createdAt: Date; id: string }

export async function listInvites(
  db: Reader,
  { now, limit, offset, before }: { now: Date; limit: number; offset: number; before: InviteKey | undefined },
): Promise<InviteRow[]> {
  const isBefore = before
    ? sql`(${invites.createdAt}, ${invites.id}) < (${before.createdAt.toISOString()}::timestamptz, ${before.id})`
    : undefined
  return db
    .select()
    .from(invites)
    .where(and(gt(invites.expiresAt, now), isBefore))
    .orderBy(desc(invites.createdAt), desc(invites.id))
    .limit(limit)
    .offset(before ? 0 : offset)
}

export async function deleteInvite(tx: Reader, id: string, now: Date): Promise<boolean> {
  const [deleted] = await tx.delete(invites).where(eq(invites.id, id)).returning()
  return deleted !== undefined && deleted.expiresAt > now
}

export async function deleteInvitesOf(tx: Tx, createdBy: string): Promise<string[]> {
  const deleted = await tx.delete(invites).where(eq(invites.createdBy, createdBy)).returning({ id: invites.id })
  return deleted.map(({ id }) => id)
}

export async function deleteExpiredInvites(db: Db, now: Date, limit: number): Promise<number> {
  const expired = db
    .select({ id: invites.id })
    .from(invites)
    .where(lt(invites.expiresAt, now))
    .limit(limit)
    .for('update', { skipLocked: true })
  return (await db.delete(invites).where(inArray(invites.id, expired))).rowCount ?? 0
}

const isToken = (keys: SecretKeys, token: string) => inArray(invites.digest, secretDigests(keys, 'invite', token))

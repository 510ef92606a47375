import { and, eq, gt, lt, sql, type SQL } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Db, Reader, Tx } from '@parley/postgres'
import { emailCodes } from './schema.ts'

export type EmailCode = typeof emailCodes.$inferSelect
export type CodeKey = Pick<EmailCode, 'purpose' | 'emailKey' | 'userId'>

/**
 * Holds the lock until the end of the transaction, so that concurrent mails and wrong attempts for one purpose are
 * counted correctly.
 */
export async function lockAddress(tx: Tx, { purpose, emailKey }: CodeKey): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`parley: code ${purpose} ${emailKey}`}, 0))`)
}

/**
 * Adds up the codes of all users for one address and purpose. `mails`: in windows that began after `since`.
 * `wrongAttempts`: on codes that have not expired, invalidated codes included.
 */
export async function countUses(
  db: Reader,
  { purpose, emailKey }: CodeKey,
  { since, now }: { since: Date; now: Date },
): Promise<{ mails: number; wrongAttempts: number }> {
  const [row] = await db
    .select({
      mails: sumOf(emailCodes.mails, gt(emailCodes.windowFrom, since)),
      wrongAttempts: sumOf(emailCodes.wrongAttempts, gt(emailCodes.expiresAt, now)),
    })
    .from(emailCodes)
    .where(and(eq(emailCodes.purpose, purpose), eq(emailCodes.emailKey, emailKey)))
  return row ?? { mails: 0, wrongAttempts: 0 }
}

const sumOf = (column: AnyPgColumn, condition: SQL) =>
  sql<number>`coalesce(sum(${column}) filter (where ${condition}), 0)::int`

/** Replaces an earlier code with the same key, whose counting window continues if it began after `since`. */
export async function storeCode(
  tx: Tx,
  code: Pick<EmailCode, 'codeDigest' | 'expiresAt'> & CodeKey,
  at: Date,
  since: Date,
): Promise<void> {
  const windowContinues = sql`${emailCodes.windowFrom} > ${since.toISOString()}`
  const { codeDigest, expiresAt } = code
  await tx
    .insert(emailCodes)
    .values({ ...code, windowFrom: at })
    .onConflictDoUpdate({
      target: [emailCodes.purpose, emailCodes.emailKey, emailCodes.userId],
      set: {
        codeDigest,
        expiresAt,
        mails: sql`case when ${windowContinues} then ${emailCodes.mails} + 1 else 1 end`,
        wrongAttempts: sql`case when ${windowContinues} then ${emailCodes.wrongAttempts} else 0 end`,
        windowFrom: sql`case when ${windowContinues} then ${emailCodes.windowFrom} else ${at.toISOString()}::timestamptz end`,
      },
    })
}

export async function findCode(tx: Tx, key: CodeKey, now: Date): Promise<EmailCode | undefined> {
  const [row] = await tx
    .select()
    .from(emailCodes)
    .where(and(isCode(key), gt(emailCodes.expiresAt, now)))
  return row
}

export async function countWrongAttempt(tx: Tx, key: CodeKey): Promise<void> {
  await tx
    .update(emailCodes)
    .set({ wrongAttempts: sql`${emailCodes.wrongAttempts} + 1` })
    .where(isCode(key))
}

/**
 * Undoes {@link storeCode} after its mail was not delivered. The mail is no longer counted. The previous code, if it
 * was valid, is restored, unless the new one has been replaced or invalidated meanwhile.
 */
export async function undoCode(
  db: Db,
  { codeDigest, ...key }: Pick<EmailCode, 'codeDigest'> & CodeKey,
  previous: Pick<EmailCode, 'codeDigest' | 'expiresAt'> | undefined,
): Promise<void> {
  const uncounted = { mails: sql`greatest(${emailCodes.mails} - 1, 0)` }
  await db.update(emailCodes).set(uncounted).where(isCode(key))
  if (previous === undefined) return
  const { codeDigest: previousDigest, expiresAt } = previous
  await db
    .update(emailCodes)
    .set({ codeDigest: previousDigest, expiresAt })
    .where(and(isCode(key), eq(emailCodes.codeDigest, codeDigest)))
}

/** The rows still count mails and wrong attempts. */
export async function invalidateCodesOf(tx: Tx, userId: string): Promise<void> {
  await tx.update(emailCodes).set({ codeDigest: noDigest }).where(eq(emailCodes.userId, userId))
}

const noDigest = Buffer.alloc(32)

export async function deleteCode(tx: Tx, key: CodeKey): Promise<void> {
  await tx.delete(emailCodes).where(isCode(key))
}

export async function deleteExpiredEmailCodes(db: Db, now: Date, limit: number): Promise<number> {
  const expired = db
    .select({ row: sql`ctid` })
    .from(emailCodes)
    .where(lt(emailCodes.expiresAt, now))
    .limit(limit)
    .for('update', { skipLocked: true })
  return (await db.delete(emailCodes).where(sql`ctid in ${expired}`)).rowCount ?? 0
}

const isCode = ({ purpose, emailKey, userId }: CodeKey) =>
  and(eq(emailCodes.purpose, purpose), eq(emailCodes.emailKey, emailKey), eq(emailCodes.userId, userId))

import { and, eq, gt, lt, sql, type SQL } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Db, Reader, Tx } from '@parley/postgres'
import { emailCodes } from './schema.ts'

export type EmailCode = typeof emailCodes.$inferSelect
/** Primary key of a code. */
export type CodeKey = Pick<EmailCode, 'purpose' | 'emailKey' | 'userId'>

/** Locks an address until the end of the transaction, so that mails and guesses are counted correctly. */
export async function lockAddress(tx: Tx, { purpose, emailKey }: CodeKey): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`parley: code ${purpose} ${emailKey}`}, 0))`)
}

/**
 * Number of mails to an address since a time, and of wrong guesses for codes that are still valid, regardless of who
 * requested them.
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

/** Replaces an earlier code; its counting window continues if it began after `since`. */
export async function storeCode(
  tx: Tx,
  code: Pick<EmailCode, 'codeDigest' | 'expiresAt'> & CodeKey,
  at: Date,
  since: Date,
): Promise<void> {
  const goesOn = sql`${emailCodes.windowFrom} > ${since.toISOString()}`
  const { codeDigest, expiresAt } = code
  await tx
    .insert(emailCodes)
    .values({ ...code, windowFrom: at })
    .onConflictDoUpdate({
      target: [emailCodes.purpose, emailCodes.emailKey, emailCodes.userId],
      set: {
        codeDigest,
        expiresAt,
        mails: sql`case when ${goesOn} then ${emailCodes.mails} + 1 else 1 end`,
        wrongAttempts: sql`case when ${goesOn} then ${emailCodes.wrongAttempts} else 0 end`,
        windowFrom: sql`case when ${goesOn} then ${emailCodes.windowFrom} else ${at.toISOString()}::timestamptz end`,
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
 * Takes back a code whose mail was not delivered: the mail does not count, and the code before, if it was valid, is
 * valid again unless the code was replaced or made void in the meantime.
 */
export async function takeBackCode(
  db: Db,
  { codeDigest, ...key }: Pick<EmailCode, 'codeDigest'> & CodeKey,
  before: Pick<EmailCode, 'codeDigest' | 'expiresAt'> | undefined,
): Promise<void> {
  const uncounted = { mails: sql`greatest(${emailCodes.mails} - 1, 0)` }
  await db.update(emailCodes).set(uncounted).where(isCode(key))
  if (before === undefined) return
  const { codeDigest: digestBefore, expiresAt } = before
  await db
    .update(emailCodes)
    .set({ codeDigest: digestBefore, expiresAt })
    .where(and(isCode(key), eq(emailCodes.codeDigest, codeDigest)))
}

/** Invalidates codes mailed to a user. The rows still count mails and guesses. */
export async function voidCodesOf(tx: Tx, userId: string): Promise<void> {
  await tx.update(emailCodes).set({ codeDigest: noDigest }).where(eq(emailCodes.userId, userId))
}

/** A digest that matches no code. */
const noDigest = Buffer.alloc(32)

export async function deleteCode(tx: Tx, key: CodeKey): Promise<void> {
  await tx.delete(emailCodes).where(isCode(key))
}

/** Deletes up to `atOnce` expired codes; returns their number. */
export async function deleteExpiredEmailCodes(db: Db, now: Date, atOnce: number): Promise<number> {
  const expired = db
    .select({ row: sql`ctid` })
    .from(emailCodes)
    .where(lt(emailCodes.expiresAt, now))
    .limit(atOnce)
    .for('update', { skipLocked: true })
  return (await db.delete(emailCodes).where(sql`ctid in ${expired}`)).rowCount ?? 0
}

const isCode = ({ purpose, emailKey, userId }: CodeKey) =>
  and(eq(emailCodes.purpose, purpose), eq(emailCodes.emailKey, emailKey), eq(emailCodes.userId, userId))

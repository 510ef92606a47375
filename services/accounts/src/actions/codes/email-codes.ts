import { randomInt, timingSafeEqual } from 'node:crypto'
import { secretDigest, secretDigests } from '@parley/credentials'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import * as store from '../../store/email-codes.ts'

/** Call `undo` if the mail is not delivered. */
export type IssuedCode = { code: string; undo: () => Promise<void> }

/**
 * Undefined if too many codes were mailed to the address, or too many wrong ones were entered, unless throttling is
 * off. The codes of all users for an address are counted together, so that several accounts do not help to flood the
 * address or to guess a code.
 */
export async function issueCode(ctx: Context, tx: Tx, key: store.CodeKey, at: Date): Promise<IssuedCode | undefined> {
  const { codeTtlMs, codeThrottling, maxDeliveredCodes, maxWrongAttempts } = ctx.config
  const since = new Date(at.getTime() - codeTtlMs)
  await store.lockAddress(tx, key)
  const { mails, wrongAttempts } = await store.countUses(tx, key, { since, now: at })
  if (codeThrottling && (mails >= maxDeliveredCodes || wrongAttempts >= maxWrongAttempts)) return undefined
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const expiresAt = new Date(at.getTime() + codeTtlMs)
  const previous = await store.findCode(tx, key, at)
  const codeDigest = secretDigest(ctx.config, ...digestInput(key, code))
  await store.storeCode(tx, { ...key, codeDigest, expiresAt }, at, since)
  return { code, undo: () => store.undoCode(ctx.db, { ...key, codeDigest }, previous) }
}

/**
 * Deletes the code if it is right. Wrong codes are counted, so the transaction must commit in either case. After too
 * many of them the right code is refused too, unless throttling is off.
 */
export async function useCode(
  ctx: Context,
  tx: Tx,
  key: store.CodeKey,
  code: string,
  at: Date,
): Promise<'right' | 'wrong'> {
  await store.lockAddress(tx, key)
  const stored = await store.findCode(tx, key, at)
  if (!stored) return 'wrong'
  const { codeThrottling, maxWrongAttempts } = ctx.config
  const { wrongAttempts } = await store.countUses(tx, key, { since: at, now: at })
  if (codeThrottling && wrongAttempts >= maxWrongAttempts) return 'wrong'
  const digests = secretDigests(ctx.config, ...digestInput(key, code))
  if (!digests.some((digest) => timingSafeEqual(stored.codeDigest, digest))) {
    await store.countWrongAttempt(tx, key)
    return 'wrong'
  }
  await store.deleteCode(tx, key)
  return 'right'
}

const digestInput = ({ purpose, emailKey, userId }: store.CodeKey, code: string) =>
  ['email code', purpose, emailKey, userId, code] as const

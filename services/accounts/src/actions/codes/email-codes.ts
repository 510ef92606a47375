import { randomInt, timingSafeEqual } from 'node:crypto'
import { secretDigest, secretDigests } from '@parley/credentials'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import * as store from '../../store/email-codes.ts'

/**
 * Makes a code for an address within a transaction; undefined when the address got as many as it may, or was guessed at too
 * often. Every user's codes for the address count, so that accounts cannot be used to flood or to guess.
 */
export async function issueCode(ctx: Context, tx: Tx, key: store.CodeKey, at: Date): Promise<string | undefined> {
  const { codeTtlMs, codeThrottling, maxDeliveredCodes, maxWrongAttempts } = ctx.config
  const since = new Date(at.getTime() - codeTtlMs)
  await store.lockAddress(tx, key)
  const { mails, wrongAttempts } = await store.countUses(tx, key, { since, now: at })
  if (codeThrottling && (mails >= maxDeliveredCodes || wrongAttempts >= maxWrongAttempts)) return undefined
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const expiresAt = new Date(at.getTime() + codeTtlMs)
  await store.storeCode(
    tx,
    { ...key, codeDigest: secretDigest(ctx.config, ...codeOf(key, code)), expiresAt },
    at,
    since,
  )
  return code
}

/** Uses a code up; a wrong one is counted, so the transaction has to be committed either way. */
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
  const digests = secretDigests(ctx.config, ...codeOf(key, code))
  if (!digests.some((digest) => timingSafeEqual(stored.codeDigest, digest))) {
    await store.countWrongAttempt(tx, key)
    return 'wrong'
  }
  await store.deleteCode(tx, key)
  return 'right'
}

const codeOf = ({ purpose, emailKey, userId }: store.CodeKey, code: string) =>
  ['email code', purpose, emailKey, userId, code] as const

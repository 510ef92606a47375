import type { RateLimiter } from '@parley/redis'
import { tooManyGuesses, wrongCurrentPassword } from '../../errors.ts'
import type { Passwords } from './passwords.ts'

/** The credential that is presented with a password; `freshUntil` is null for tokens of other web clients. */
export type Prover = { userId: string; credentialId: string; freshUntil: Date | null }

/**
 * Throws unless it is the caller's password. Wrong passwords are counted per credential, so that a stolen session
 * cannot be used for guessing, and locks out nobody else. Tokens of other web clients share one count, because a
 * session can create any number of them. Errors: `invalid_argument` (wrong), `resource_exhausted` (too many wrong
 * ones).
 */
export async function assertCurrentPassword(
  ctx: { passwords: Passwords; passwordGuesses: RateLimiter },
  { userId, credentialId, freshUntil }: Prover,
  passwordHash: string | null,
  password: string,
): Promise<void> {
  const { passwordGuesses, passwords } = ctx
  const guesser = freshUntil === null ? `clients of ${userId}` : credentialId
  const { allowed, retryAfterMs } = await passwordGuesses.consume(guesser)
  if (!allowed) throw tooManyGuesses(retryAfterMs)
  let wrong = false
  try {
    wrong = !(await passwords.fits(password, passwordHash ?? undefined, { userId }))
  } finally {
    if (!wrong) await passwordGuesses.refund(guesser)
  }
  if (wrong) throw wrongCurrentPassword()
}

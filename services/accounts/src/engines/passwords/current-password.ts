import type { RateLimiter } from '@parley/redis'
import { tooManyGuesses, wrongCurrentPassword } from '../../errors.ts'
import type { Passwords } from './passwords.ts'

/** `freshUntil` is null for tokens that web applications on other origins got through the user's consent. */
export type PresentedCredential = { userId: string; credentialId: string; freshUntil: Date | null }

/**
 * Wrong passwords are counted per credential, so that a stolen session cannot be used for guessing, and guessing does
 * not lock out the user's other sessions. Tokens without `freshUntil` share one count, because a session can create any
 * number of them. Errors: `invalid_argument` (wrong password), `resource_exhausted` (too many wrong passwords, or
 * too many hashings waiting).
 */
export async function assertCurrentPassword(
  ctx: { passwords: Passwords; passwordGuesses: RateLimiter },
  { userId, credentialId, freshUntil }: PresentedCredential,
  passwordHash: string | null,
  password: string,
): Promise<void> {
  const { passwordGuesses, passwords } = ctx
  const counterKey = freshUntil === null ? `clients of ${userId}` : credentialId
  const { allowed, retryAfterMs } = await passwordGuesses.consume(counterKey)
  if (!allowed) throw tooManyGuesses(retryAfterMs)
  let wrong = false
  try {
    wrong = !(await passwords.matches(password, passwordHash ?? undefined, { userId }))
  } finally {
    if (!wrong) await passwordGuesses.refund(counterKey)
  }
  if (wrong) throw wrongCurrentPassword()
}

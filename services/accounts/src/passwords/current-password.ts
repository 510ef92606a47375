import type { Caller } from '@parley/auth'
import type { Context } from '../context.ts'
import { tooManyGuesses, wrongCurrentPassword } from '../errors.ts'

/**
 * Throws unless it is the caller's password. Wrong ones are counted per credential: who got hold of a session guesses nothing
 * with it, and locks nobody else out. Errors: `invalid_argument` (wrong), `resource_exhausted` (wrong too often).
 */
export async function assertCurrentPassword(
  ctx: Pick<Context, 'passwords' | 'passwordGuesses'>,
  caller: Pick<Caller, 'credentialId'>,
  passwordHash: string | null,
  password: string,
): Promise<void> {
  const { passwordGuesses, passwords } = ctx
  const { allowed, retryAfterMs } = await passwordGuesses.consume(caller.credentialId)
  if (!allowed) throw tooManyGuesses(retryAfterMs)
  let wrong = false
  try {
    wrong = !(await passwords.fits(password, passwordHash ?? undefined))
  } finally {
    if (!wrong) await passwordGuesses.refund(caller.credentialId)
  }
  if (wrong) throw wrongCurrentPassword()
}

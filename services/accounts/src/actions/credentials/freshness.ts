import type { Caller } from '@parley/credentials'
import type { Context } from '../../context.ts'
import { freshnessMissing, sessionEnded } from '../../errors.ts'
import { assertCurrentPassword } from '../../engines/passwords/index.ts'
import { findCredentialOf, renewFreshness } from '../../store/credentials.ts'
import { getAccount } from '../../store/users.ts'

const freshForMs = 30 * 60_000

export const freshUntil = (at: Date): Date => new Date(at.getTime() + freshForMs)

/**
 * Throws unless the user signed in with the credential, or entered the current password, in the last 30 minutes. A
 * given password is verified even while the credential is fresh, and makes it fresh again. A token that a web
 * application on another origin got through the user's consent is never fresh. Errors: `failed_precondition` (not
 * fresh), `invalid_argument` (wrong password), `resource_exhausted` (too many wrong passwords, or too many hashings
 * waiting), `unauthenticated` (the credential has ended).
 */
export async function assertFresh(
  ctx: Pick<Context, 'db' | 'now' | 'passwords' | 'passwordGuesses'>,
  caller: Pick<Caller, 'userId' | 'credentialId'>,
  currentPassword = '',
): Promise<void> {
  const now = ctx.now()
  const credential = await findCredentialOf(ctx.db, caller)
  if (!credential) throw sessionEnded()
  if (credential.freshUntil === null) throw freshnessMissing()
  if (currentPassword === '') {
    if (credential.freshUntil > now) return
    throw freshnessMissing()
  }
  const { passwordHash } = await getAccount(ctx.db, caller.userId)
  await assertCurrentPassword(ctx, { ...caller, ...credential }, passwordHash, currentPassword)
  if (!(await renewFreshness(ctx.db, caller.credentialId, freshUntil(now)))) throw sessionEnded()
}

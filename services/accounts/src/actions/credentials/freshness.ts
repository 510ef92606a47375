import type { Caller } from '@parley/credentials'
import type { Context } from '../../context.ts'
import { freshnessMissing, sessionEnded } from '../../errors.ts'
import { assertCurrentPassword } from '../../engines/passwords/index.ts'
import { findCredentialOf, renewFreshness } from '../../store/credentials.ts'
import { getAccount } from '../../store/users.ts'

const freshForMs = 30 * 60_000

/** Until when a credential counts as fresh that was proved now. */
export const freshUntil = (at: Date): Date => new Date(at.getTime() + freshForMs)

/**
 * Throws unless the credential behind the call was proved in the last 30 minutes, as the database has it: callers are cached.
 * The current password proves it anew, but not for credentials that other web clients were given; a password that is given is
 * verified, fresh or not.
 * Errors: `failed_precondition` (not fresh), `invalid_argument` (wrong password), `resource_exhausted` (wrong too often),
 * `unauthenticated` (ended meanwhile).
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

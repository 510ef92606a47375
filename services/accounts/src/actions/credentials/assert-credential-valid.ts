import type { Tx } from '@parley/postgres'
import { sessionEnded } from '../../errors.ts'
import { findCredentialOf } from '../../store/credentials.ts'

/**
 * Throws `unauthenticated` if the caller's credential has ended. Call this while the account is locked: callers are
 * cached, and the call may have waited for the lock.
 */
export async function assertCredentialValid(tx: Tx, caller: { userId: string; credentialId: string }): Promise<void> {
  if (!(await findCredentialOf(tx, caller))) throw sessionEnded()
}

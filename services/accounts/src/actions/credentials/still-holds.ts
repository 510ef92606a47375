import type { Tx } from '@parley/postgres'
import { sessionEnded } from '../../errors.ts'
import { findCredentialOf } from '../../store/credentials.ts'

/**
 * Throws `unauthenticated` if the credential of a call is no longer valid. Call it while the account is locked: callers
 * are cached, and a password may have been reset while the call waited.
 */
export async function assertStillHolds(tx: Tx, caller: { userId: string; credentialId: string }): Promise<void> {
  if (!(await findCredentialOf(tx, caller))) throw sessionEnded()
}

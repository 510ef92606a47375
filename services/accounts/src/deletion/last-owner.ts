import { ownerRoleId } from '@parley/auth'
import type { Tx } from '@parley/postgres'
import { lastOwner } from '../errors.ts'
import { isHeldByAnother, lockFirstOwner } from '../store/roles.ts'

/**
 * Throws `failed_precondition` when nobody else is owner. Of two owners who are to go at the same time one stays: the
 * answer holds until the transaction ends.
 */
export async function assertNotLastOwner(tx: Tx, userId: string): Promise<void> {
  await lockFirstOwner(tx)
  if (!(await isHeldByAnother(tx, ownerRoleId, userId))) throw lastOwner()
}

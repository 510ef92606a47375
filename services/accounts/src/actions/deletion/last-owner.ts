import { ownerRoleId } from '@parley/permissions'
import type { Reader, Tx } from '@parley/postgres'
import { lastOwner } from '../../errors.ts'
import { isHeldByAnother, lockOwnerCount } from '../../store/roles.ts'

/**
 * Throws `failed_precondition` unless another owner can sign in. Holds a lock until the transaction ends, so that two
 * owners cannot be removed concurrently.
 */
export async function assertNotLastOwner(tx: Tx, userId: string): Promise<void> {
  await lockOwnerCount(tx)
  if (!(await isHeldByAnother(tx, ownerRoleId, userId))) throw lastOwner()
}

/** Takes no lock, so use it only for display. */
export async function isLastOwner(
  db: Reader,
  { id, roleIds }: { id: string; roleIds: readonly string[] },
): Promise<boolean> {
  return roleIds.includes(ownerRoleId) && !(await isHeldByAnother(db, ownerRoleId, id))
}

import { ownerRoleId } from '@parley/permissions'
import type { Reader, Tx } from '@parley/postgres'
import { lastOwner } from '../../errors.ts'
import { isHeldByAnother, lockFirstOwner } from '../../store/roles.ts'

/**
 * Throws `failed_precondition` if nobody else is an owner. Of two owners removed concurrently one stays, because the
 * check locks until the transaction ends.
 */
export async function assertNotLastOwner(tx: Tx, userId: string): Promise<void> {
  await lockFirstOwner(tx)
  if (!(await isHeldByAnother(tx, ownerRoleId, userId))) throw lastOwner()
}

/** Whether the account is the only owner. For display: it may change at any time. */
export async function isLastOwner(
  db: Reader,
  { id, roleIds }: { id: string; roleIds: readonly string[] },
): Promise<boolean> {
  return roleIds.includes(ownerRoleId) && !(await isHeldByAnother(db, ownerRoleId, id))
}

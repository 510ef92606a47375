import { ownerRoleId } from '@parley/permissions'
import type { Tx } from '@parley/postgres'
import type { OperatorContext } from '../../context.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { emailTaken } from '../../errors.ts'
import { claimEmail } from '../../store/emails.ts'
import type { Change } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'
import { isOwnerEmail } from './create-account.ts'
import { addRole } from './assign-role-to.ts'

/**
 * Stores the address, and the role owner if the configuration lists the address. Returns the change with which
 * {@link changeUser} announces this. Throws `already_exists` if the address belongs to another account.
 */
export async function recordVerifiedEmail(
  ctx: OperatorContext,
  tx: Tx,
  user: UserWithRoles,
  email: string,
  how: { at: Date; selfAdded: boolean },
): Promise<{ change: Change | undefined; added: boolean; becomesOwner: boolean }> {
  const claim = await claimEmail(tx, user.id, email, how)
  if (claim === 'taken') throw emailTaken()
  const ownerChange = isOwnerEmail(ctx, email) ? await addRole(tx, user, how.at, ownerRoleId) : undefined
  const added = claim === 'added'
  if (!ownerChange && !added) return { change: undefined, added, becomesOwner: false }
  return {
    added,
    change: {
      raisesRolesVersion: ownerChange !== undefined,
      announce: (version) => [
        ...(added ? [auditEvent('user_verified_email_added')] : []),
        ...(ownerChange?.announce(version) ?? []),
      ],
    },
    becomesOwner: ownerChange !== undefined,
  }
}

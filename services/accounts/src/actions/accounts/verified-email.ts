import { ownerRoleId } from '@parley/permissions'
import type { Tx } from '@parley/postgres'
import type { OperatorContext } from '../../context.ts'
import { noted } from '../../domain/announcements.ts'
import { emailTaken } from '../../errors.ts'
import { claimEmail } from '../../store/emails.ts'
import type { Change } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'
import { isOwnerEmail } from './create-account.ts'
import { roleGiven } from './give-role.ts'

export type VerifiedEmail = { change: Change | undefined; added: boolean; madeOwner: boolean }

/**
 * Records an address as verified within the change of a locked account, which becomes an owner if the configuration
 * says so. Does nothing if it is already recorded. Throws `already_exists` if it belongs to another account.
 */
export async function emailVerified(
  ctx: OperatorContext,
  tx: Tx,
  user: UserWithRoles,
  email: string,
  how: { at: Date; selfAdded: boolean },
): Promise<VerifiedEmail> {
  const claim = await claimEmail(tx, user.id, email, how)
  if (claim === 'taken') throw emailTaken()
  const owner = isOwnerEmail(ctx, email) ? await roleGiven(tx, user, how.at, ownerRoleId) : undefined
  const added = claim === 'added'
  if (!owner && !added) return { change: undefined, added, madeOwner: false }
  return {
    added,
    change: {
      changesRoles: owner !== undefined,
      announce: (version) => [
        ...(added ? [noted('user_verified_email_added')] : []),
        ...(owner?.announce(version) ?? []),
      ],
    },
    madeOwner: owner !== undefined,
  }
}

import { type Caller } from '@parley/credentials'
import { isOwner, may, ownerRoleId, serverScope } from '@parley/permissions'
import type { AdminMember } from '@parley/contracts/admin'
import type { Context } from '../../context.ts'
import { isLastOwner } from '../deletion/last-owner.ts'
import { userNotFound } from '../../errors.ts'
import { mayDeactivate, mayDelete } from '../../policy/administration.ts'
import { addressesOf } from '../../store/emails.ts'
import { findUsers, type UserWithRoles } from '../../store/users.ts'
import { toAdminMember } from '../../view/admin-member.ts'
import { showEach } from './show-users.ts'

/** In the given order, with the details that this administrator may see. */
export async function showMembers(
  ctx: Context,
  caller: Caller,
  rows: readonly UserWithRoles[],
): Promise<AdminMember[]> {
  const policy = ctx.policy.current()
  const ids = rows.map(({ id }) => id)
  const [addresses, lastOwner] = await Promise.all([
    may(policy, caller, 'admin.view-users', serverScope) ? addressesOf(ctx.db, ids) : undefined,
    findLastOwner(ctx, rows),
  ])
  const maySeeLoginChanges = isOwner(caller) || caller.roleIds.includes('admin')
  return showEach(ctx, rows, (row, user) =>
    toAdminMember(row, user, {
      policy,
      addresses: addresses && (addresses.get(row.id) ?? []),
      maySeeLoginChange: maySeeLoginChanges || row.id === caller.userId,
      canDeactivate: row.deletedAt === null && mayDeactivate(policy, caller, row, row.id === lastOwner),
      canDelete: row.deletedAt === null && mayDelete(policy, caller, row, row.id === lastOwner),
    }),
  )
}

export async function showMember(ctx: Context, caller: Caller, userId: string): Promise<AdminMember> {
  const [member] = await showMembers(ctx, caller, await findUsers(ctx.db, [userId]))
  if (!member) throw userNotFound()
  return member
}

/** The id of the only active owner among these accounts, if no other owner on the server can sign in. */
async function findLastOwner({ db }: Context, rows: readonly UserWithRoles[]): Promise<string | undefined> {
  const [owner, another] = rows.filter(
    ({ roleIds, deactivatedAt }) => roleIds.includes(ownerRoleId) && deactivatedAt === null,
  )
  if (!owner || another) return undefined
  return (await isLastOwner(db, owner)) ? owner.id : undefined
}

import type { Reader, Tx } from '@parley/postgres'
import { isOwner, may, ownerRoleId, serverScope, type Policy } from '@parley/permissions'
import { tokenContext } from '../credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { inviteNotFound } from '../../errors.ts'
import { findInvite, takeInvite, type InviteRow } from '../../store/invites.ts'
import { findUsers, type UserWithRoles } from '../../store/users.ts'

/** Throws `not_found` if no usable invite has this token, or its creator could no longer create it. */
export async function getInviteByToken(ctx: Context, token: string): Promise<InviteRow> {
  return assertStillAllowed(ctx, ctx.db, await findInvite(ctx.db, tokenContext(ctx), token))
}

/** Like {@link getInviteByToken}, and counts one use. */
export async function useInvite(ctx: Context, tx: Tx, token: string): Promise<InviteRow> {
  return assertStillAllowed(ctx, tx, await takeInvite(tx, tokenContext(ctx), token))
}

async function assertStillAllowed(ctx: Context, db: Reader, invite: InviteRow | undefined): Promise<InviteRow> {
  const [creator] = invite ? await findUsers(db, [invite.createdBy]) : []
  if (!invite || !creator || !mayStillInvite(ctx.policy.current(), creator, invite)) throw inviteNotFound()
  return invite
}

function mayStillInvite(policy: Policy, creator: UserWithRoles, { roleIds }: InviteRow): boolean {
  if (creator.deletedAt || creator.deactivatedAt) return false
  const subject = { userId: creator.id, roleIds: creator.roleIds }
  const mayDo = (permission: 'user.manage-accounts' | 'role.assign') => may(policy, subject, permission, serverScope)
  if (!mayDo('user.manage-accounts')) return false
  if (roleIds.length > 0 && !mayDo('role.assign')) return false
  return !roleIds.includes(ownerRoleId) || isOwner(subject)
}

import type { Reader, Tx } from '@parley/postgres'
import { isOwner, may, ownerRoleId, serverScope, type Policy } from '@parley/permissions'
import { tokenContext } from '../credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { inviteUnknown } from '../../errors.ts'
import { findInvite, takeInvite, type InviteRow } from '../../store/invites.ts'
import { findUsers, type UserWithRoles } from '../../store/users.ts'

/** The invite of a token, if its creator may still create it. Throws `not_found`. */
export async function getInviteOf(ctx: Context, token: string): Promise<InviteRow> {
  return assertHeld(ctx, ctx.db, await findInvite(ctx.db, tokenContext(ctx), token))
}

/** Finds an invite and counts its use; permissions that its creator has lost since are considered. */
export async function useInvite(ctx: Context, tx: Tx, token: string): Promise<InviteRow> {
  return assertHeld(ctx, tx, await takeInvite(tx, tokenContext(ctx), token))
}

async function assertHeld(ctx: Context, db: Reader, invite: InviteRow | undefined): Promise<InviteRow> {
  const [maker] = invite ? await findUsers(db, [invite.createdBy]) : []
  if (!invite || !maker || !mayStillInvite(ctx.policy.current(), maker, invite)) throw inviteUnknown()
  return invite
}

function mayStillInvite(policy: Policy, maker: UserWithRoles, { roleIds }: InviteRow): boolean {
  if (maker.deletedAt || maker.deactivatedAt) return false
  const subject = { userId: maker.id, roleIds: maker.roleIds }
  const mayDo = (permission: 'user.manage-accounts' | 'role.assign') => may(policy, subject, permission, serverScope)
  if (!mayDo('user.manage-accounts')) return false
  if (roleIds.length > 0 && !mayDo('role.assign')) return false
  return !roleIds.includes(ownerRoleId) || isOwner(subject)
}

import type { ServiceImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import type { Context } from '../../context.ts'
import { assignRole } from './assign-role.ts'
import { batchGetMembers } from './batch-get-members.ts'
import { clearUsernameCooldown } from './clear-username-cooldown.ts'
import { createInvite } from './create-invite.ts'
import { createUser } from './create-user.ts'
import { deactivateUser } from './deactivate-user.ts'
import { deleteUser } from './delete-user.ts'
import { getMember } from './get-member.ts'
import { listInvites } from './list-invites.ts'
import { listMembers } from './list-members.ts'
import { reactivateUser } from './reactivate-user.ts'
import { removeUserEmailAddress } from './remove-user-email-address.ts'
import { revokeInvite } from './revoke-invite.ts'
import { revokeRole } from './revoke-role.ts'
import { updateUser } from './update-user.ts'
import { updateUserPassword } from './update-user-password.ts'

export const adminUser = (ctx: Context) =>
  ({
    listMembers: listMembers(ctx),
    getMember: getMember(ctx),
    batchGetMembers: batchGetMembers(ctx),
    assignRole: assignRole(ctx),
    revokeRole: revokeRole(ctx),
    updateUser: updateUser(ctx),
    updateUserPassword: updateUserPassword(ctx),
    clearUsernameCooldown: clearUsernameCooldown(ctx),
    deleteUser: deleteUser(ctx),
    createUser: createUser(ctx),
    deactivateUser: deactivateUser(ctx),
    reactivateUser: reactivateUser(ctx),
    createInvite: createInvite(ctx),
    listInvites: listInvites(ctx),
    revokeInvite: revokeInvite(ctx),
    removeUserEmailAddress: removeUserEmailAddress(ctx),
  }) satisfies ServiceImpl<typeof AdminUserService>

import type { ServiceImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import type { Context } from '../../context.ts'
import { assignRole } from './assign-role.ts'
import { batchGetMembers } from './batch-get-members.ts'
import { clearUsernameCooldown } from './clear-username-cooldown.ts'
import { deleteUser } from './delete-user.ts'
import { getMember } from './get-member.ts'
import { listMembers } from './list-members.ts'
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
  }) satisfies ServiceImpl<typeof AdminUserService>

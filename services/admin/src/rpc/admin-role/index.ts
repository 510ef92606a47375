import type { ServiceImpl } from '@connectrpc/connect'
import type { AdminRoleService } from '@parley/contracts/admin'
import type { Context } from '../../context.ts'
import { createRole } from './create-role.ts'
import { deleteRole } from './delete-role.ts'
import { getRole } from './get-role.ts'
import { listRoles } from './list-roles.ts'
import { reorderRoles } from './reorder-roles.ts'
import { updateRole } from './update-role.ts'

export const adminRole = (ctx: Context) =>
  ({
    listRoles: listRoles(ctx),
    getRole: getRole(ctx),
    createRole: createRole(ctx),
    updateRole: updateRole(ctx),
    deleteRole: deleteRole(ctx),
    reorderRoles: reorderRoles(ctx),
  }) satisfies ServiceImpl<typeof AdminRoleService>

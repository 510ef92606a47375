import type { ServiceImpl } from '@connectrpc/connect'
import type { AdminPermissionService } from '@parley/contracts/admin'
import type { Context } from '../../context.ts'
import { explainPermissions } from './explain-permissions.ts'
import { getRolePermissionMatrix } from './get-role-permission-matrix.ts'
import { getRolePermissionTierMatrix } from './get-role-permission-tier-matrix.ts'
import { getUserPermissionMatrix } from './get-user-permission-matrix.ts'
import { listRolePermissionDecisions } from './list-role-permission-decisions.ts'
import { listUserPermissionDecisions } from './list-user-permission-decisions.ts'
import { setRolePermission } from './set-role-permission.ts'
import { setUserPermission } from './set-user-permission.ts'

export const adminPermission = (ctx: Context) =>
  ({
    getRolePermissionTierMatrix: getRolePermissionTierMatrix(ctx),
    getRolePermissionMatrix: getRolePermissionMatrix(ctx),
    listRolePermissionDecisions: listRolePermissionDecisions(ctx),
    getUserPermissionMatrix: getUserPermissionMatrix(ctx),
    listUserPermissionDecisions: listUserPermissionDecisions(ctx),
    explainPermissions: explainPermissions(ctx),
    setRolePermission: setRolePermission(ctx),
    setUserPermission: setUserPermission(ctx),
  }) satisfies ServiceImpl<typeof AdminPermissionService>

import type { MethodImpl } from '@connectrpc/connect'
import type { RoleService } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import { findRoles } from '../../store/roles.ts'
import { toRole } from '../../view/role.ts'

export function batchGetRoles(ctx: Context): MethodImpl<typeof RoleService.method.batchGetRoles> {
  return async (req) => {
    const byName = new Map((await findRoles(ctx.db, req.names)).map((role) => [role.name, role]))
    return { roles: [...new Set(req.names)].flatMap((name) => byName.get(name) ?? []).map(toRole) }
  }
}

import type { MethodImpl } from '@connectrpc/connect'
import type { RoleService } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import { roleNotFound } from '../../errors.ts'
import { findRoles } from '../../store/roles.ts'
import { toRole } from '../../view/role.ts'

export function getRole(ctx: Context): MethodImpl<typeof RoleService.method.getRole> {
  return async (req) => {
    const [role] = await findRoles(ctx.db, [req.name])
    if (!role) throw roleNotFound(req.name)
    return { role: toRole(role) }
  }
}

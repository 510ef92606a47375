import type { MethodImpl } from '@connectrpc/connect'
import type { RoleService } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import * as store from '../../store/roles.ts'
import { toRole } from '../../view/role.ts'

export function listRoles(ctx: Context): MethodImpl<typeof RoleService.method.listRoles> {
  return async () => ({ roles: (await store.listRoles(ctx.db)).map(toRole) })
}

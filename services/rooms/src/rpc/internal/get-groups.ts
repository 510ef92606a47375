import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { assertIdCount } from '../../domain/id-count.ts'
import { findGroups } from '../../store/groups.ts'

export function getGroups(ctx: Context): MethodImpl<typeof RoomsInternalService.method.getGroups> {
  return async ({ groupIds }) => {
    assertIdCount(groupIds)
    return { groups: (await findGroups(ctx.db, groupIds)).map(({ id, name }) => ({ groupId: id, name })) }
  }
}

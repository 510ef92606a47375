import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { assertIdCount } from '../../domain/id-count.ts'
import { findPresenceAudiences } from '../../store/presence-audiences.ts'

const maxUsers = 50

export function listPresenceAudiences(
  ctx: Context,
): MethodImpl<typeof RoomsInternalService.method.listPresenceAudiences> {
  return async ({ userIds }) => {
    assertIdCount(userIds, maxUsers)
    return { audiences: await findPresenceAudiences(ctx.db, userIds) }
  }
}

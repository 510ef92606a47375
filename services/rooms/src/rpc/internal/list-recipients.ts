import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { assertFewIds } from '../../domain/few-ids.ts'
import { whoMayJoin } from '../../policy/eligibility.ts'
import { findHeads } from '../../store/access.ts'
import { findRecipients } from '../../store/recipients.ts'
import { toRoomHeader } from '../../view/access.ts'

const maxAtOnce = 1000
const maxRoles = 100

export function listRecipients(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listRecipients> {
  return async ({ roomId, userIds, roleIds, all, after, limit }) => {
    assertFewIds(userIds, maxAtOnce)
    assertFewIds(roleIds, maxRoles)
    const [room] = await findHeads(ctx.db, [roomId])
    if (!room) return {}
    const scope = { kind: 'room', roomId, groupId: room.groupId ?? '' } as const
    const eligible = room.universal ? whoMayJoin(ctx.policy.current(), scope) : undefined
    const page = { after, limit: Math.min(limit || maxAtOnce, maxAtOnce) }
    const found = await findRecipients(ctx.db, { roomId, eligible, all, userIds, roleIds }, page)
    return { userIds: found, room: toRoomHeader(room) }
  }
}

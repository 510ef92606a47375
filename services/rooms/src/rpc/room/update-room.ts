import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { isUniqueViolation, type Tx } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { isRoomName, roomNameKey } from '../../domain/room-name.ts'
import { assertNotEmpty, updateOf } from '../../domain/room-update.ts'
import { badRoomName, roomNameTaken } from '../../errors.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { assertCanManage } from '../../policy/management.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { changeRoom, type Changed } from '../../store/changes.ts'
import { nameIndex } from '../../store/new-rooms.ts'
import type { RoomRow } from '../../store/rows.ts'
import { toRoom } from '../../view/room.ts'

export function updateRoom(ctx: Context): MethodImpl<typeof RoomService.method.updateRoom> {
  return async (req, call) => {
    const caller = callerOf(call)
    const { roomId, name } = req
    assertNotEmpty(req)
    if (name !== undefined && !isRoomName(name)) throw badRoomName()
    const cause = { actorId: caller.userId, at: ctx.now() }

    async function write(tx: Tx, before: RoomRow): Promise<Changed> {
      const { name, description, detailsChanged, universalChanged } = updateOf(before, req)
      let changed: Changed = { room: before, facts: [] }
      if (detailsChanged) {
        const patch = { name, nameKey: roomNameKey(name), description }
        changed = await changeRoom(tx, before, { case: 'updated', value: { name } }, cause, patch)
      }
      if (universalChanged) {
        const universal = !before.universal
        const patch = universal ? { universal } : { universal, universalEndedAt: cause.at }
        const more = await changeRoom(tx, changed.room, { case: 'universal', value: { universal } }, cause, patch)
        changed = { room: more.room, facts: [...changed.facts, ...more.facts] }
      }
      return changed
    }

    const made = makeChange(
      ctx,
      {
        roomId,
        userId: caller.userId,
        cause,
        decide: ({ room }) => {
          assertCanManage(ctx.policy.current(), caller, toPolicyRoom(room))
          const { detailsChanged, universalChanged } = updateOf(room, req)
          return detailsChanged || universalChanged ? 'change' : 'nothing'
        },
        isAbout: isFactOf(['created', 'updated', 'universal']),
        write,
        ...(name !== undefined && {
          layoutAuditEvents: (before: RoomRow) => (name === before.name ? undefined : []),
        }),
      },
      call,
    )
    const { room } = await made.catch((error: unknown) => {
      throw name !== undefined && isUniqueViolation(error, nameIndex) ? roomNameTaken(name) : error
    })
    return { room: toRoom(room) }
  }
}

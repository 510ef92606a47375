import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { forEachConcurrently } from '../../domain/for-each-concurrently.ts'
import { isFactOf } from '../../domain/room-fact.ts'
import { groupNotFound } from '../../errors.ts'
import { groupKey } from '../../engines/delivery/index.ts'
import { wouldJoin } from '../../policy/membership.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { canSee } from '../../policy/visibility.ts'
import type { FactOfRoom } from '../../store/facts.ts'
import { joinRooms, findUnappliedJoins, lockRooms } from '../../store/group-joins.ts'
import { groupExists } from '../../store/groups.ts'
import type { RoomWithStanding } from '../../store/rows.ts'
import { findChannelsOfGroup, findRooms } from '../../store/rooms.ts'

const maxConcurrentDeliveries = 16

export function joinRoomGroup(ctx: Context): MethodImpl<typeof RoomService.method.joinRoomGroup> {
  return async ({ groupId }, call) => {
    if (!(await groupExists(ctx.db, groupId))) throw groupNotFound()
    const caller = callerOf(call)
    const { userId } = caller
    const cause = { actorId: userId, at: ctx.now() }
    const filterJoinable = (rooms: readonly RoomWithStanding[]) =>
      rooms.filter(({ room, standing }) => {
        const who = [ctx.policy.current(), caller, toPolicyRoom(room), standing] as const
        return wouldJoin(...who) && canSee(...who)
      })

    // This call may be a repeat, so joins not applied yet are returned like new ones.
    const isAbout = isFactOf(['joined'], userId)
    const pending = await findUnappliedJoins(ctx.db, userId, groupId)
    const channels = await findChannelsOfGroup(ctx.db, userId, groupId)
    const wanted = filterJoinable(channels).map(({ room }) => room.id)

    const commit = () =>
      ctx.db.transaction(async (tx): Promise<FactOfRoom[]> => {
        await lockRooms(tx, wanted)
        // A separate statement: only data read after the locks were granted is current.
        const joinable = filterJoinable(await findRooms(tx, userId, wanted))
        const rooms = joinable.map(({ room }) => room).filter((room) => room.groupId === groupId)
        return rooms.length === 0 ? [] : await joinRooms(tx, rooms, userId, cause)
      })
    // One call per group at a time in this process, so that a crowd does not exhaust the connections.
    const joined = wanted.length === 0 ? [] : await ctx.writes.run(groupKey(groupId), call, commit)

    await forEachConcurrently(joined, maxConcurrentDeliveries, ({ roomId, fact }) =>
      ctx.delivery.deliver(roomId, [fact], call),
    )
    await forEachConcurrently(pending, maxConcurrentDeliveries, (roomId) =>
      ctx.delivery.waitUntilApplied(roomId, call, isAbout),
    )
    const isNew = new Set([...joined.map(({ roomId }) => roomId), ...pending])
    return { joinedRoomIds: channels.map(({ room }) => room.id).filter((roomId) => isNew.has(roomId)) }
  }
}

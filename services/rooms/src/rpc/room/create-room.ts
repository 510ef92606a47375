import { create } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import { CreateRoomResponseSchema, RoomService } from '@parley/contracts/api'
import { enqueue } from '@parley/events'
import { newId } from '@parley/ids'
import { isUniqueViolation, type Tx } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import { answerOnce } from '@parley/service'
import { denyPosting } from '../../clients/admin.ts'
import type { Context } from '../../context.ts'
import { roomGroupsUpdated } from '../../domain/layout-event.ts'
import { newChannel } from '../../domain/new-room.ts'
import { isAnnouncements, isRoomName } from '../../domain/room-name.ts'
import { badRoomName, groupNotFound, roomNameTaken } from '../../errors.ts'
import { layoutKey } from '../../engines/delivery/index.ts'
import { assertCanCreateRoom } from '../../policy/creation.ts'
import { isNameTaken } from '../../store/channels.ts'
import { groupExists } from '../../store/groups.ts'
import { appendItem, nextLayoutVersion } from '../../store/layout.ts'
import { channelRow, insertRoom, nameIndex } from '../../store/new-rooms.ts'
import type { RoomRow } from '../../store/rows.ts'
import { toRoom } from '../../view/room.ts'
import { getRoomOnceApplied } from '../../actions/directory/room-once-applied.ts'

const method = RoomService.method.createRoom

export function createRoom(ctx: Context): MethodImpl<typeof method> {
  return (req, call) =>
    answerOnce(
      ctx.db,
      { method, request: req, call },
      {
        repeat: async (answer) => {
          const room = await getRoomOnceApplied(ctx, call, answer.room?.id)
          return room ? show(room) : answer
        },
        async run(key) {
          const caller = callerOf(call)
          const { name, description, groupId, universal } = req
          if (!isRoomName(name)) throw badRoomName()
          if (!(await groupExists(ctx.db, groupId))) throw groupNotFound()
          const assertAllowed = () => assertCanCreateRoom(ctx.policy.current(), caller, groupId)
          assertAllowed()
          if (await isNameTaken(ctx.db, name)) throw roomNameTaken(name)

          const cause = { actorId: caller.userId, at: ctx.now() }
          const roomId = newId('room')
          const room = newChannel({ id: roomId, name, description, groupId, universal }, cause)
          const row = channelRow(room)
          const response = show(row)
          if (isAnnouncements(name)) await denyPosting(ctx.admin, roomId, caller.userId)

          const write = async (tx: Tx) => {
            await key.store(tx, response)
            const layoutVersion = await nextLayoutVersion(tx)
            assertAllowed()
            if (!(await groupExists(tx, groupId))) throw groupNotFound()
            await insertRoom(tx, row, room)
            await appendItem(tx, groupId, 'room', roomId)
            return await enqueue(tx, roomGroupsUpdated(layoutVersion, { groupId, roomId }, cause))
          }
          const made = ctx.writes.run(layoutKey, call, () => ctx.db.transaction(write))
          const entries = await made.catch((error: unknown) => {
            throw isUniqueViolation(error, nameIndex) ? roomNameTaken(name) : error
          })
          ctx.relay.wake(entries)
          await ctx.delivery.deliver(roomId, room.facts, call)
          return response
        },
      },
    )
}

const show = (room: RoomRow) => create(CreateRoomResponseSchema, { room: toRoom(room) })

import { create } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import { mayStartDm } from '@parley/permissions'
import { RoomService, StartDMResponseSchema } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { answerOnce } from '@parley/service'
import { assertUsersExist } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { newDm } from '../../domain/new-room.ts'
import { mayNotStartDms } from '../../errors.ts'
import { findDm } from '../../store/dm-ids.ts'
import { dmRow, insertRoomOnce } from '../../store/new-rooms.ts'
import type { RoomRow } from '../../store/rows.ts'
import { toRoom } from '../../view/room.ts'
import { getRoomOnceApplied } from '../../actions/directory/room-once-applied.ts'

const method = RoomService.method.startDM

export function startDm(ctx: Context): MethodImpl<typeof method> {
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
          if (!mayStartDm(ctx.policy.current(), caller)) throw mayNotStartDms()
          const participantIds = [...new Set([caller.userId, ...req.participantIds])].sort()
          const { roomId, known } = await findDm(ctx.db, ctx.dmKey, { participantIds, viewerId: caller.userId })
          // After the account of a participant was deleted, an existing direct message continues.
          if (!known) await assertUsersExist(ctx.accounts, participantIds)

          const dm = newDm(roomId, participantIds, { actorId: caller.userId, at: ctx.now() })
          const row = known?.room ?? dmRow(dm)
          const response = show(row)
          const made = await ctx.writes.run(roomId, call, () =>
            ctx.db.transaction(async (tx) => {
              await key.store(tx, response)
              return known ? false : await insertRoomOnce(tx, row, dm)
            }),
          )
          if (made) await ctx.delivery.deliver(roomId, dm.facts, call)
          else await ctx.delivery.waitUntilApplied(roomId, call)
          return response
        },
      },
    )
}

const show = (room: RoomRow) => create(StartDMResponseSchema, { room: toRoom(room) })

import { randomBytes } from 'node:crypto'
import { RoomKind } from '@parley/contracts/api'
import type { RoomHeader } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { joiningFailed } from '../../errors.ts'
import { insertCall, lockActiveCall, type CallRow } from '../../store/calls.ts'
import { changeLockedCall } from './change-call.ts'

const maxAttempts = 5

export async function startOrJoinCall(ctx: Context, tx: Tx, room: RoomHeader, userId: string): Promise<string> {
  for (let tries = 0; tries < maxAttempts; tries++) {
    const active = await lockActiveCall(tx, room.roomId)
    // If another call was started concurrently, nothing is inserted, and the next attempt joins that call.
    const row = active ?? (await insertCall(tx, newCall(room, ctx.now())))
    if (!row) continue
    await changeLockedCall(ctx, tx, row, { source: 'user', userIds: [userId] }, (call) => {
      if (!active) call.start(userId)
      call.join(userId)
    })
    return row.id
  }
  throw joiningFailed()
}

const newCall = (room: RoomHeader, now: Date): CallRow => ({
  ...{ id: newId('call'), roomId: room.roomId, dm: room.kind === RoomKind.DM },
  ...{ version: 0n, e2eeKey: randomBytes(32), startedAt: now, endedAt: null, closedMediaRooms: [] },
})

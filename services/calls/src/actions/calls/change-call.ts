import { handOver } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { mediaRoomName } from '../../domain/media-room.ts'
import { lockCall, updateCall, type CallRow } from '../../store/calls.ts'
import { insertChores } from '../../store/media-chores.ts'
import { findParticipantsForChange, saveParticipants } from '../../store/participants.ts'
import { toRoomEvent } from '../../view/room-event.ts'
import { Call, type Source } from '../../domain/call.ts'

type ChangeContext = Pick<Context, 'media' | 'now'>

export type ChangeScope = { source: Source; userIds: readonly string[] }

/** Stores the change with its events and chores. The call's row must be locked. */
export async function changeLockedCall<T>(
  ctx: ChangeContext,
  tx: Tx,
  row: CallRow,
  { source, userIds }: ChangeScope,
  change: (call: Call) => T,
): Promise<T> {
  const call = new Call(row, await findParticipantsForChange(tx, row.id, userIds), { source, now: ctx.now() })
  const result = change(call)
  if (call.row !== row) await updateCall(tx, call.row)
  await saveParticipants(tx, call.changedParticipants)
  await handOver(
    tx,
    row.roomId,
    call.events.map((event) => toRoomEvent(call, event)),
  )
  await insertChores(tx, choresOf(ctx, call), call.now)
  return result
}

export async function changeCall<T>(
  ctx: Context,
  callId: string,
  scope: ChangeScope,
  change: (call: Call) => T,
): Promise<T | undefined> {
  return ctx.db.transaction(async (tx) => {
    const row = await lockCall(tx, callId)
    if (!row || row.endedAt !== null) return undefined
    return changeLockedCall(ctx, tx, row, scope, change)
  })
}

export function leaveCall(call: Call, userId: string): void {
  const wasPresent = call.find(userId)?.leftAt === null
  call.leave(userId)
  if (wasPresent && call.presentParticipants().length === 0) call.end(call.source === 'user' ? userId : '')
}

function choresOf({ media }: ChangeContext, { row, removals }: Call) {
  if (!media) return []
  const mediaRoom = mediaRoomOf(media, row)
  if (row.endedAt !== null) return [{ mediaRoom, userId: null }]
  return [...removals].map((userId) => ({ mediaRoom, userId }))
}

export const mediaRoomOf = ({ settings }: NonNullable<Context['media']>, call: CallRow): string =>
  mediaRoomName({ serverId: settings.serverId, dm: call.dm, roomId: call.roomId, callId: call.id })

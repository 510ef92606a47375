import type { ActiveCall } from '@parley/contracts/api'
import type { RoomHeader } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import type { CallRow } from '../../store/calls.ts'
import { findPresent, type ParticipantRow } from '../../store/participants.ts'
import { toActiveCall } from '../../view/active-call.ts'

export async function showCalls(
  ctx: Context,
  calls: readonly CallRow[],
  rooms: ReadonlyMap<string, RoomHeader>,
): Promise<ActiveCall[]> {
  const visible = calls.flatMap((row) => {
    const room = rooms.get(row.roomId)
    return room ? [{ row, room }] : []
  })
  if (visible.length === 0) return []
  const participants = await findPresent(
    ctx.db,
    visible.map(({ row }) => row.id),
  )
  const users = await ctx.profiles.get(participants.map(({ userId }) => userId))
  const byCall = new Map<string, ParticipantRow[]>(visible.map(({ row }) => [row.id, []]))
  for (const participant of participants) byCall.get(participant.callId)?.push(participant)
  return visible.map(({ row, room }) => toActiveCall(row, room, byCall.get(row.id) ?? [], users))
}

import { changeCall, leaveCall } from '../calls/change-call.ts'
import type { Connection } from '../../domain/connection.ts'
import { takeOnce, tellMediaServer, type Told } from './told.ts'

/** Somebody is at the media server: with a token, which may be older than a ban or than the end of the call. */
export async function onConnected(told: Told, userId: string, connection: Connection): Promise<void> {
  if (!(await isMember(told, userId))) return tellMediaServer(told, userId)
  const outcome = await takeOnce(told, [userId], (call) => call.hear(userId, connection))
  if (outcome === 'ended') return tellMediaServer(told, null)
  // A ban that came between was announced before there was anybody to remove.
  if (typeof outcome === 'object' && outcome.result && !(await isMember(told, userId))) {
    const about = { source: 'livekit', userIds: [userId] } as const
    await changeCall(told.ctx, told.call.id, about, (call) => leaveCall(call, userId))
  }
}

const isMember = async ({ ctx, call }: Told, userId: string): Promise<boolean> =>
  (await ctx.rooms.membersAmong(call.roomId, [userId])).has(userId)

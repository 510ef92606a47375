import type { MethodImpl } from '@connectrpc/connect'
import type { RoomHeader } from '@parley/contracts/internal'
import type { VoiceCallService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showCalls } from '../../actions/calls/show-calls.ts'
import type { Context } from '../../context.ts'
import { listActiveCalls as listCalls, type CallRow } from '../../store/calls.ts'

const callsAtOnce = 500
const maxShown = 500

export function listActiveCalls(ctx: Context): MethodImpl<typeof VoiceCallService.method.listActiveCalls> {
  return async (_request, call) => {
    if (!ctx.media) return { calls: [] }
    const caller = callerOf(call)
    const shown: CallRow[] = []
    const rooms = new Map<string, RoomHeader>()
    let after: string | undefined = ''
    while (after !== undefined && shown.length < maxShown) {
      const rows: CallRow[] = await listCalls(ctx.db, after, callsAtOnce)
      const roomIds = rows.map(({ roomId }) => roomId)
      for (const [roomId, room] of await ctx.rooms.listAccessible(caller, roomIds)) rooms.set(roomId, room)
      shown.push(...rows.filter(({ roomId }) => rooms.has(roomId)))
      after = rows.length < callsAtOnce ? undefined : rows.at(-1)?.roomId
    }
    return { calls: await showCalls(ctx, shown.slice(0, maxShown), rooms) }
  }
}

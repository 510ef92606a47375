import type { MethodImpl } from '@connectrpc/connect'
import type { VoiceCallService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { mediaRoomOf } from '../../actions/calls/change-call.ts'
import type { Context } from '../../context.ts'
import { accountGone, noCallForToken, callsNotConfigured } from '../../errors.ts'
import { makeToken } from '../../engines/livekit/index.ts'
import { findActiveCall } from '../../store/calls.ts'

export function getCallToken(ctx: Context): MethodImpl<typeof VoiceCallService.method.getCallToken> {
  return async ({ roomId }, call) => {
    const caller = callerOf(call)
    const [, profiles] = await Promise.all([ctx.rooms.assertMember(caller, roomId), ctx.profiles.get([caller.userId])])
    if (!ctx.media) throw callsNotConfigured()
    const user = profiles.get(caller.userId)
    if (!user || user.deleted) throw accountGone()
    const active = await findActiveCall(ctx.db, roomId)
    if (!active?.e2eeKey) throw noCallForToken()
    const mediaRoom = mediaRoomOf(ctx.media, active)
    return {
      token: await makeToken(ctx.media.settings, user, { callId: active.id, mediaRoom }),
      e2eeKey: Buffer.from(active.e2eeKey).toString('base64').replace(/=+$/, ''),
      callId: active.id,
    }
  }
}

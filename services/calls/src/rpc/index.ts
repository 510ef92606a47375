import { VoiceCallService } from '@parley/contracts/api'
import { CallsParkedEventsService } from '@parley/contracts/internal'
import { parkedEvents } from '@parley/events'
import type { ServiceRoutes } from '@parley/rpc'
import type { Context } from '../context.ts'
import { batchGetActiveCalls } from './voice-call/batch-get-active-calls.ts'
import { getActiveCall } from './voice-call/get-active-call.ts'
import { getCallToken } from './voice-call/get-call-token.ts'
import { joinCall } from './voice-call/join-call.ts'
import { leaveCall } from './voice-call/leave-call.ts'
import { listActiveCalls } from './voice-call/list-active-calls.ts'
import { listCallParticipants } from './voice-call/list-call-participants.ts'

export const routes = (ctx: Context) => (router: ServiceRoutes) => {
  router.service(VoiceCallService, {
    listActiveCalls: listActiveCalls(ctx),
    getActiveCall: getActiveCall(ctx),
    batchGetActiveCalls: batchGetActiveCalls(ctx),
    listCallParticipants: listCallParticipants(ctx),
    joinCall: joinCall(ctx),
    getCallToken: getCallToken(ctx),
    leaveCall: leaveCall(ctx),
  })
  router.service(CallsParkedEventsService, parkedEvents(ctx.db))
}

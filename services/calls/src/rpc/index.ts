import { parkedEventsService } from '@parley/events'
import { handlersOf } from '@parley/rpc'
import type { Context } from '../context.ts'
import { batchGetActiveCalls } from './voice-call/batch-get-active-calls.ts'
import { getActiveCall } from './voice-call/get-active-call.ts'
import { getCallToken } from './voice-call/get-call-token.ts'
import { joinCall } from './voice-call/join-call.ts'
import { leaveCall } from './voice-call/leave-call.ts'
import { listActiveCalls } from './voice-call/list-active-calls.ts'
import { listCallParticipants } from './voice-call/list-call-participants.ts'

export const routes = (ctx: Context) =>
  handlersOf('calls', {
    VoiceCallService: {
      listActiveCalls: listActiveCalls(ctx),
      getActiveCall: getActiveCall(ctx),
      batchGetActiveCalls: batchGetActiveCalls(ctx),
      listCallParticipants: listCallParticipants(ctx),
      joinCall: joinCall(ctx),
      getCallToken: getCallToken(ctx),
      leaveCall: leaveCall(ctx),
    },
    CallsParkedEventsService: parkedEventsService(ctx.db),
  })

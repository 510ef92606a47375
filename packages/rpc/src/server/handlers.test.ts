import type { DescService } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { VoiceCallService } from '@parley/contracts/api'
import { services } from '@parley/contracts/catalogue'
import { CallsParkedEventsService } from '@parley/contracts/internal'
import { handlersOf } from './handlers.ts'
import { collectRoutes } from './routes.ts'

const answer = () => ({})
const voiceCall = {
  listActiveCalls: answer,
  getActiveCall: answer,
  batchGetActiveCalls: answer,
  listCallParticipants: answer,
  joinCall: answer,
  getCallToken: answer,
  leaveCall: answer,
}
const parked = { listParkedEvents: answer, replayParkedEvents: answer }

test('all services of a deployable are registered', () => {
  const register = handlersOf('calls', { VoiceCallService: voiceCall, CallsParkedEventsService: parked })
  const served = collectRoutes(VoiceCallService.methods, register)
  expect(served.map(({ method }) => method)).toEqual([...VoiceCallService.methods, ...CallsParkedEventsService.methods])
  expect(served.every(({ implementation }) => implementation !== undefined)).toBe(true)
})

test('the services of a deployable are listed under their own names', () => {
  for (const owned of Object.values<Record<string, DescService>>(services))
    for (const [name, service] of Object.entries(owned)) expect(service.name).toBe(name)
})

test('missing handlers and handlers of another deployable do not compile', () => {
  const { leaveCall, ...others } = voiceCall
  // @ts-expect-error leaveCall has no handler
  handlersOf('calls', { VoiceCallService: others, CallsParkedEventsService: parked })
  expect(leaveCall).toBe(answer)
  // @ts-expect-error no handler for the parked events
  handlersOf('calls', { VoiceCallService: voiceCall })
  // @ts-expect-error RoomService.createRoom belongs to rooms
  const createRoom: Parameters<typeof handlersOf<'messaging'>>[1]['RoomService']['createRoom'] = answer
  expect(createRoom).toBe(answer)
})

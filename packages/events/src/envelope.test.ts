import { fromBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { encodeRealtimeEnvelope } from './envelope.ts'

test('the envelope contains the event under the case of its kind', () => {
  const createdAt = new Date('2024-05-06T07:08:09.010Z')
  const value = { roomId: 'R1', messageEventId: 'E1', threadRootEventId: 'E0' }
  const bytes = encodeRealtimeEnvelope('message_posted', { id: 'E1', createdAt, actorId: 'U1', value })
  const envelope = fromBinary(RealtimeEventEnvelopeSchema, bytes)
  expect(envelope).toMatchObject({ id: 'E1', actorId: 'U1', event: { case: 'messagePosted', value } })
  expect(envelope.createdAt && timestampDate(envelope.createdAt)).toEqual(createdAt)
})

test('an envelope without an actor has no actor id', () => {
  const bytes = encodeRealtimeEnvelope('session_terminated', {
    id: 'E1',
    createdAt: new Date(),
    actorId: '',
    value: { reason: 'logout' },
  })
  expect(fromBinary(RealtimeEventEnvelopeSchema, bytes).actorId).toBeUndefined()
})

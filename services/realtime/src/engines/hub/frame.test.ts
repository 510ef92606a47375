import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from '@jest/globals'
import { RealtimeEventEnvelopeSchema, RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import { eventFrame, positionOf } from './frame.ts'

const envelope = (roomId: string) =>
  toBinary(
    RealtimeEventEnvelopeSchema,
    create(RealtimeEventEnvelopeSchema, {
      id: 'E1',
      event: { case: 'messagePosted', value: { roomId, messageEventId: 'E1' } },
    }),
  )

describe('the frame of an event', () => {
  test.each([1, 200, 20_000])('is the envelope with its position (room id of %d characters)', (length) => {
    const frame = fromBinary(RealtimeServerFrameSchema, eventFrame(envelope('R'.repeat(length)), '1a.2b'))
    expect(frame.frame.case).toBe('event')
    expect(frame.frame.value).toMatchObject({
      id: 'E1',
      position: '1a.2b',
      event: { case: 'messagePosted', value: { roomId: 'R'.repeat(length), messageEventId: 'E1' } },
    })
  })
})

test('events with the same sequence have different positions', () => {
  expect(positionOf(7, 'E1')).not.toBe(positionOf(7, 'E2'))
  expect(positionOf(7, 'E1')).toBe(positionOf(7, 'E1'))
})

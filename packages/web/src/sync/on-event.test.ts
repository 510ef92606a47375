import { beforeEach, expect, jest, test } from '@jest/globals'
import type { RealtimeEventEnvelope } from '@parley/client/contract'
import { applyEvent, type EventReceiver } from './on-event.ts'

const timeline = { onRetracted: jest.fn() }
const chat = {
  rooms: { onMessageRetracted: jest.fn() },
  followed: { refreshIfNeeded: jest.fn() },
  timelinesOf: () => [timeline],
  refreshMessage: jest.fn(),
}
beforeEach(() => void jest.clearAllMocks())

function retract(threadRootEventId?: string): void {
  const event: RealtimeEventEnvelope['event'] = {
    case: 'messageRetracted',
    value: {
      $typeName: 'svc.realtime.v1.RealtimeMessageRetractedEvent',
      ...{ roomId: 'R1', messageEventId: 'E2' },
      ...(threadRootEventId !== undefined && { threadRootEventId }),
    },
  }
  const envelope = { $typeName: 'svc.realtime.v1.RealtimeEventEnvelope' as const, id: 'E3', event, position: '' }
  applyEvent(chat as unknown as EventReceiver, envelope)
}

test('the retraction of a reply reloads the root, which has the count, and the followed threads', () => {
  retract('E1')
  expect(timeline.onRetracted.mock.calls).toEqual([['E2', undefined]])
  expect(chat.refreshMessage.mock.calls).toEqual([['R1', 'E1']])
  expect(chat.followed.refreshIfNeeded).toHaveBeenCalledTimes(1)
  expect(chat.rooms.onMessageRetracted.mock.calls).toEqual([['R1']])
})

test('the retraction of a message outside threads reloads no message', () => {
  retract()
  expect(timeline.onRetracted.mock.calls).toEqual([['E2', undefined]])
  expect(chat.refreshMessage).not.toHaveBeenCalled()
  expect(chat.followed.refreshIfNeeded).not.toHaveBeenCalled()
  expect(chat.rooms.onMessageRetracted.mock.calls).toEqual([['R1']])
})

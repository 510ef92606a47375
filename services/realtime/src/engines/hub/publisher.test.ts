import { create } from '@bufbuild/protobuf'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { EventSchema } from '@parley/contracts/internal'
import { eventFrames } from './event-frames.ts'
import { frameWithoutPosition } from './frame.ts'
import { Publisher } from './publisher.ts'
import { slices } from './sliced-broadcast.ts'
import { UserAccess } from './user-access.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const allSlices = Array.from({ length: slices }, (_, n) => `everyone:${n}`).sort()

function publisherTo(sockets: number) {
  const published: { topic: string; frame: Buffer }[] = []
  const users = new Map([['Uanna', new UserAccess('Uanna', [], 1n)]])
  const publisher = new Publisher({
    publish: (topic, frame) => published.push({ topic, frame: Buffer.from(frame) }),
    users,
    countSockets: () => sockets,
    metrics: { countPublished: () => undefined },
  })
  const setStatus = (text: string) => {
    const event = create(EventSchema, {
      ...{ id: text, kind: 'user_custom_status_set', aggregateType: 'user', aggregateId: 'Ubert', version: 1n },
      deliveries: [{ envelope: Buffer.from(text), audience: { case: 'everyone', value: true } }],
    })
    publisher.publish(event, eventFrames(event, `position of ${text}`))
  }
  const topicsOf = (text: string) =>
    published.flatMap(({ topic, frame }) => (frame.equals(frameWithoutPosition(Buffer.from(text))) ? [topic] : []))
  return { publisher, users, published, setStatus, topicsOf }
}

test('after a newer event, no slice receives an older one', () => {
  const { publisher, setStatus, topicsOf } = publisherTo(2_000)
  using _ = publisher
  setStatus('away')
  jest.advanceTimersByTime(500)
  const received = topicsOf('away')
  expect(received.length).toBeGreaterThan(0)
  setStatus('back')
  jest.advanceTimersByTime(1_400)
  expect(topicsOf('away')).toEqual(received)
  expect(topicsOf('back').length).toBeGreaterThan(0)
  jest.advanceTimersByTime(20_000)
  expect(topicsOf('away')).toEqual(received)
  expect([...new Set(topicsOf('back'))].sort()).toEqual(allSlices)
})

test('an event that is published while nobody is connected drops the waiting events', () => {
  const { publisher, users, published, setStatus } = publisherTo(500)
  using _ = publisher
  setStatus('away')
  setStatus('busy')
  users.clear()
  setStatus('back')
  users.set('Ucleo', new UserAccess('Ucleo', [], 1n))
  jest.advanceTimersByTime(20_000)
  expect(published).toHaveLength(1)
})

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { SlicedBroadcast, slices } from './sliced-broadcast.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const allSlices = Array.from({ length: slices }, (_, n) => `everyone:${n}`).sort()
const frame = (text: string): Uint8Array => Buffer.from(text)

/** Each publication is recorded as `topic frame`. */
function broadcastTo(sockets: number) {
  const published: string[] = []
  const broadcast = new SlicedBroadcast({
    publish: (topic, bytes) => published.push(`${topic} ${Buffer.from(bytes).toString()}`),
    countSockets: () => sockets,
  })
  const send = (key: string, text: string) => broadcast.send(key, frame(`${text} now`), () => frame(`${text} late`))
  const topicsOf = (text: string) => published.flatMap((one) => (one.endsWith(` ${text}`) ? [one.split(' ')[0]] : []))
  return { broadcast, published, send, topicsOf }
}

test('a thousand sockets receive a frame at once', () => {
  const { broadcast, published, send } = broadcastTo(1_000)
  using _ = broadcast
  send('layout', 'a')
  jest.advanceTimersByTime(60_000)
  expect(published).toEqual(['everyone a now'])
})

test('more sockets receive a frame in slices, about a thousand sockets a second', () => {
  const { broadcast, published, send, topicsOf } = broadcastTo(4_000)
  using _ = broadcast
  send('layout', 'a')
  expect(published).toEqual([])
  jest.advanceTimersByTime(2_000)
  expect(published.length).toBeGreaterThan(slices * 0.4)
  expect(published.length).toBeLessThan(slices * 0.6)
  jest.advanceTimersByTime(60_000)
  expect(topicsOf('a late').sort()).toEqual(allSlices)
})

test('however many sockets there are, all receive a frame within twenty seconds', () => {
  const { broadcast, send, topicsOf } = broadcastTo(1_000_000)
  using _ = broadcast
  send('layout', 'a')
  jest.advanceTimersByTime(20_000)
  expect(topicsOf('a late').sort()).toEqual(allSlices)
})

test('a newer frame replaces the earlier one and reaches every slice', () => {
  const { broadcast, published, send, topicsOf } = broadcastTo(2_000)
  using _ = broadcast
  send('layout', 'a')
  jest.advanceTimersByTime(1_000)
  const received = published.length
  send('layout', 'b')
  send('profile', 'c')
  jest.advanceTimersByTime(60_000)
  expect(topicsOf('a late')).toHaveLength(received)
  expect(topicsOf('b late').sort()).toEqual(allSlices)
  expect(topicsOf('c late').sort()).toEqual(allSlices)
})

test('a frame sent at once replaces a waiting one', () => {
  let sockets = 2_000
  const published: string[] = []
  using broadcast = new SlicedBroadcast({ publish: (topic) => published.push(topic), countSockets: () => sockets })
  broadcast.send('layout', frame('a'), () => frame('a'))
  broadcast.send('profile', frame('b'), () => frame('b'))
  sockets = 500
  broadcast.send('layout', frame('c'), () => frame('c'))
  broadcast.forget('profile')
  jest.advanceTimersByTime(60_000)
  expect(published).toEqual(['everyone'])
})

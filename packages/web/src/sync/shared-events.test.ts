import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { MemberClient, Realtime, RealtimeState } from '@parley/client'
import { SharedEvents } from './shared-events.ts'

let enter: (state: RealtimeState) => void
let events: SharedEvents
let resets: number
let happen: Map<string, () => void>

/** A stream whose states the test decides. */
function openStream(): Realtime {
  const stream = { state: { status: 'connecting', failures: 0 }, onEvent: () => undefined, close: () => undefined }
  return Object.assign(stream, {
    onState: (listener: (state: RealtimeState) => void) => void (enter = listener),
  }) as unknown as Realtime
}

beforeEach(() => {
  jest.useFakeTimers()
  // What only browsers have.
  const locks = { request: async (_: string, __: object, held: () => Promise<void>) => held() }
  happen = new Map()
  const addEventListener = (name: string, listener: () => void) => void happen.set(name, listener)
  const browser = { navigator: { onLine: true, locks }, addEventListener }
  for (const [name, value] of Object.entries(browser))
    Object.defineProperty(globalThis, name, { value, configurable: true })
  events = new SharedEvents({ realtime: openStream } as unknown as MemberClient, 'U1')
  resets = 0
  events.listen({ onEvent: () => undefined, onReset: () => resets++, onRead: () => undefined })
})
afterEach(() => {
  events.close()
  jest.useRealTimers()
})

const isOpened = async () => {
  let is = false
  void events.opened().then(() => (is = true))
  await jest.advanceTimersByTimeAsync(0)
  return is
}

test('what is read waits for a stream that opens slowly, and is not read again', async () => {
  expect(await isOpened()).toBe(false)
  await jest.advanceTimersByTimeAsync(2_000)
  expect(await isOpened()).toBe(false)
  enter({ status: 'open', resumed: false })
  expect([await isOpened(), resets]).toEqual([true, 0])
})

test.each([
  ['cannot be opened', 0, () => enter({ status: 'waiting', retryInMs: 500, reason: 'refused' })],
  ['is not answered', 3_000, () => undefined],
])('if the stream %s, it is read without, and again once it opens', async (_, waitedMs, happen) => {
  expect(await isOpened()).toBe(false)
  happen()
  await jest.advanceTimersByTimeAsync(waitedMs)
  expect([await isOpened(), resets]).toEqual([true, 0])
  enter({ status: 'open', resumed: false })
  expect(resets).toBe(1)
})

test('a stream that opens counts as open although the browser sees no network, until it says so anew', () => {
  Object.assign(navigator, { onLine: false })
  enter({ status: 'connecting', failures: 0 })
  expect(events.connection.value).toBe('lost')
  enter({ status: 'open', resumed: false })
  expect(events.connection.value).toBe('open')
  happen.get('offline')?.()
  expect(events.connection.value).toBe('lost')
})

test('if the stream was lost before anybody waits for it, it is read without at once', async () => {
  enter({ status: 'waiting', retryInMs: 500, reason: 'refused' })
  expect([await isOpened(), resets]).toEqual([true, 0])
  enter({ status: 'open', resumed: false })
  expect(resets).toBe(1)
})

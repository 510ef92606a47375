import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { MemberClient, Realtime, RealtimeState } from '@parley/client'
import { type Connection, SharedEvents } from './shared-events.ts'

let setState: (state: RealtimeState) => void
let events: SharedEvents
let resets: number
let changeNetwork: (change: 'online' | 'offline') => void

function openConnection(): Realtime {
  let notify: (state: RealtimeState) => void = () => undefined
  const close = () => notify({ status: 'closed', reason: 'closed' })
  const connection = { state: { status: 'connecting', failures: 0 }, onEvent: () => undefined, close }
  return Object.assign(connection, {
    onState: (listener: (state: RealtimeState) => void) => void (setState = notify = listener),
  }) as unknown as Realtime
}

beforeEach(async () => {
  jest.useFakeTimers()
  // Replaces APIs that only browsers have.
  let released: Promise<void> = Promise.resolve()
  const request = (_: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void>) =>
    (released = released.then(() => (signal.aborted ? undefined : hold())))
  const locks = { request }
  const listeners: [string, () => void][] = []
  changeNetwork = (change) => {
    Object.assign(navigator, { onLine: change === 'online' })
    for (const [name, listener] of listeners) if (name === change) listener()
  }
  const addEventListener = (name: string, listener: () => void) => void listeners.push([name, listener])
  const browser = { navigator: { onLine: true, locks }, addEventListener }
  for (const [name, value] of Object.entries(browser))
    Object.defineProperty(globalThis, name, { value, configurable: true })
  events = new SharedEvents({ realtime: openConnection } as unknown as MemberClient, 'U1')
  resets = 0
  events.listen({ onEvent: () => undefined, onReset: () => resets++, onRead: () => undefined })
  await jest.advanceTimersByTimeAsync(0)
})
afterEach(() => {
  events.close()
  jest.useRealTimers()
})

const resolvesWhenOpen = async () => {
  let opened = false
  void events.whenOpen().then(() => (opened = true))
  await jest.advanceTimersByTimeAsync(0)
  return opened
}

test('the first requests wait for a connection that opens slowly, and are not repeated', async () => {
  expect(await resolvesWhenOpen()).toBe(false)
  await jest.advanceTimersByTimeAsync(2_000)
  expect(await resolvesWhenOpen()).toBe(false)
  setState({ status: 'open', resumed: false })
  expect([await resolvesWhenOpen(), resets]).toEqual([true, 0])
})

test.each([
  ['cannot be opened', 0, () => setState({ status: 'waiting', retryInMs: 500, reason: 'refused' })],
  ['is not answered', 3_000, () => undefined],
])(
  'if the connection %s, the first requests begin without it, and are repeated once it opens',
  async (_, waitedMs, fail) => {
    expect(await resolvesWhenOpen()).toBe(false)
    fail()
    await jest.advanceTimersByTimeAsync(waitedMs)
    expect([await resolvesWhenOpen(), resets]).toEqual([true, 0])
    setState({ status: 'open', resumed: false })
    expect(resets).toBe(1)
  },
)

test('a connection that opens although the browser reports no network counts as open until the next such report', () => {
  changeNetwork('offline')
  expect(events.connection.value).toBe('lost')
  setState({ status: 'open', resumed: false })
  expect(events.connection.value).toBe('open')
  changeNetwork('offline')
  expect(events.connection.value).toBe('lost')
})

test('if the connection is lost already, the first requests begin without it at once, and are repeated once it opens', async () => {
  setState({ status: 'waiting', retryInMs: 500, reason: 'refused' })
  expect([await resolvesWhenOpen(), resets]).toEqual([true, 0])
  setState({ status: 'open', resumed: false })
  expect(resets).toBe(1)
})

test('a tab opened without network is connected again as soon as the tab with the socket is', async () => {
  setState({ status: 'open', resumed: false })
  changeNetwork('offline')
  const other = new SharedEvents({ realtime: openConnection } as unknown as MemberClient, 'U1')
  const becomes = async (connection: Connection) =>
    new Promise<void>((resolve) => {
      const check = () => other.connection.value === connection && resolve()
      other.connection.subscribe(check)
      check()
    })
  try {
    await becomes('lost')
    changeNetwork('online')
    expect(events.connection.value).toBe('open')
    await becomes('open')
  } finally {
    other.close()
  }
})

test('a tab that takes over the socket without a position reloads once, when it is connected', async () => {
  setState({ status: 'open', resumed: false })
  const other = new SharedEvents({ realtime: openConnection } as unknown as MemberClient, 'U1')
  try {
    await other.whenOpen()
    let reloads = 0
    other.listen({ onEvent: () => undefined, onReset: () => reloads++, onRead: () => undefined })
    events.close()
    await jest.advanceTimersByTimeAsync(0)
    expect(reloads).toBe(0)
    setState({ status: 'open', resumed: false })
    setState({ status: 'waiting', retryInMs: 500, reason: 'lost' })
    setState({ status: 'open', resumed: true })
    expect(reloads).toBe(1)
  } finally {
    other.close()
  }
})

test('other tabs are not told that the connection is lost when the tab with the socket closes', async () => {
  setState({ status: 'open', resumed: false })
  const channel = new BroadcastChannel('parley.events.U1')
  const heard: unknown[] = []
  const next = () =>
    new Promise<void>((resolve) => {
      channel.onmessage = ({ data }: { data: unknown }) => {
        heard.push(data)
        resolve()
      }
    })
  try {
    const answered = next()
    channel.postMessage({ kind: 'hello' })
    await answered
    const marked = next()
    events.close()
    const other = new SharedEvents({ realtime: openConnection } as unknown as MemberClient, 'U1')
    await marked
    other.close()
    expect(heard).toEqual([{ kind: 'connection', connection: 'open' }, { kind: 'hello' }])
  } finally {
    channel.close()
  }
})

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { createParleyClient, type Realtime, type RealtimeOptions, type RealtimeState } from '@parley/client'
import { fakeSockets } from './_fake-sockets.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const resumable = { capabilities: ['svc.realtime.resume.v1'] }
const refused = { case: 'error', value: { code: 'authentication_required', message: 'no', fatal: true } } as const
const sessionTerminated = {
  case: 'close',
  value: { code: 'session_terminated', message: '', reconnect: false },
} as const

function open(options: RealtimeOptions = {}) {
  const { webSocket, sockets, last } = fakeSockets()
  const resets: string[] = []
  const client = createParleyClient({ baseUrl: 'https://chat.test', token: 'prl_AT1', webSocket })
  const realtime = client.realtime({ onReset: (reason) => resets.push(reason), ...options })
  const states: RealtimeState[] = []
  realtime.onState((state) => states.push(state))
  return { client, realtime, sockets, last, resets, states }
}

const reconnect = () => jest.runOnlyPendingTimers()

describe('opening', () => {
  test('a client says hello with its token, subscribes, then receives events', async () => {
    const { realtime, last } = open()
    const received: string[] = []
    realtime.on('messagePosted', ({ roomId, messageEventId }, { id }) =>
      received.push(`${roomId} ${messageEventId} ${id}`),
    )
    realtime.on('roomCreated', () => received.push('wrong kind'))
    last().serve()
    await realtime.opened
    last().post('E1')
    expect(last().url).toBe('wss://chat.test/api/realtime')
    expect(last().sent).toMatchObject([
      { case: 'hello', value: { protocolVersion: 1, bearerToken: 'prl_AT1' } },
      { case: 'subscribeEvents', value: { resumePosition: '' } },
    ])
    expect(realtime.state).toEqual({ status: 'open', resumed: false })
    expect(received).toEqual(['R1 E1 E1'])
  })

  test('the hello of a client without a token contains none', () => {
    const { client, realtime, last } = open()
    realtime.close()
    client.token = undefined
    client.realtime()
    last().accept()
    expect(last().sent[0]?.value).not.toHaveProperty('bearerToken')
  })

  test('a server that does not answer is retried', () => {
    const { sockets, realtime } = open({ openTimeoutMs: 2_000 })
    sockets[0]?.accept()
    jest.advanceTimersByTime(2_000)
    expect(realtime.state.status).toBe('waiting')
    expect(sockets[0]?.closed).toBe(true)
    reconnect()
    expect(sockets.length).toBe(2)
  })

  test('a refused credential ends the stream', async () => {
    const { realtime, last, sockets } = open()
    last().accept()
    last().sendFrame(refused)
    await expect(realtime.opened).rejects.toMatchObject({ code: Code.Unauthenticated })
    expect(realtime.state).toEqual({ status: 'closed', reason: 'authentication_required' })
    reconnect()
    expect(sockets.length).toBe(1)
  })

  test('a busy server is retried', () => {
    const { last, sockets } = open()
    last().accept()
    last().sendFrame({ case: 'error', value: { code: 'temporarily_unavailable', message: 'soon', fatal: true } })
    reconnect()
    expect(sockets.length).toBe(2)
  })

  test('a failed subscription is repeated after the pause that the server asks for', () => {
    const { last, sockets, states } = open()
    last().accept()
    last().sendFrame({ case: 'error', value: { code: 'subscribe_failed', fatal: true, retryAfterMs: 45_000 } })
    expect(states.at(-1)).toEqual({ status: 'waiting', retryInMs: 45_000, reason: 'subscribe_failed' })
    jest.advanceTimersByTime(44_999)
    expect(sockets.length).toBe(1)
    jest.advanceTimersByTime(1)
    last().accept()
    expect(last().sent[1]?.case).toBe('subscribeEvents')
    expect(sockets.length).toBe(2)
  })
})

describe('a lost connection', () => {
  test('is re-established after growing delays, with the new token and URL if they changed', () => {
    let node = 1
    const { client, realtime, last, sockets } = open({ url: () => `ws://node-${node}/`, backoff: { initialMs: 1_000 } })
    last().serve()
    client.token = 'prl_AT2'
    node = 2
    last().drop()
    expect(realtime.state).toMatchObject({ status: 'waiting' })
    jest.advanceTimersByTime(1_000)
    expect(sockets.length).toBe(2)
    last().drop()
    jest.advanceTimersByTime(999)
    expect(sockets.length).toBe(2)
    jest.advanceTimersByTime(1_001)
    expect(sockets.length).toBe(3)
    last().accept()
    expect(last().url).toBe('ws://node-2/')
    expect(last().sent[0]?.value).toMatchObject({ bearerToken: 'prl_AT2' })
  })

  test('the delay that a server asks for is observed', () => {
    const { last, sockets, realtime } = open({ backoff: { initialMs: 10 } })
    last().serve()
    last().sendFrame({ case: 'close', value: { code: 'draining', message: '', reconnect: true, retryAfterMs: 5_000 } })
    expect(realtime.state).toEqual({ status: 'waiting', retryInMs: 5_000, reason: 'draining' })
    jest.advanceTimersByTime(4_999)
    expect(sockets.length).toBe(1)
    jest.advanceTimersByTime(1)
    expect(sockets.length).toBe(2)
  })

  test('after the end of a session the stream continues if the credential is still accepted', () => {
    const { last, realtime, resets } = open()
    last().serve({ ...resumable, position: 'p0' })
    last().sendFrame(sessionTerminated)
    expect(realtime.state).toMatchObject({ status: 'waiting', reason: 'session_terminated' })
    reconnect()
    last().serve({ ...resumable, position: 'p1' })
    expect(realtime.state).toEqual({ status: 'open', resumed: true })
    expect(resets).toEqual([])
  })

  test('after the end of a session the stream ends if the credential is refused', () => {
    const { last, sockets, realtime } = open()
    last().serve()
    last().sendFrame(sessionTerminated)
    reconnect()
    last().accept()
    last().sendFrame(refused)
    reconnect()
    expect(realtime.state).toEqual({ status: 'closed', reason: 'session_terminated' })
    expect(sockets.length).toBe(2)
  })

  test('a refusal after the stream was reopened is reported with its own reason, not that of the earlier close', () => {
    const { last, realtime } = open()
    last().serve()
    last().sendFrame(sessionTerminated)
    reconnect()
    last().serve()
    last().drop()
    reconnect()
    last().accept()
    last().sendFrame(refused)
    expect(realtime.state).toEqual({ status: 'closed', reason: 'authentication_required' })
  })

  test('a server that sends nothing is pinged, then abandoned', () => {
    const { last, sockets, realtime } = open({ pingTimeoutMs: 5_000 })
    last().serve() // with a heartbeat every 10 s
    jest.advanceTimersByTime(14_000)
    last().sendFrame({ case: 'heartbeat', value: { id: 'E1' } })
    jest.advanceTimersByTime(14_999)
    expect(last().sent).toHaveLength(2)
    jest.advanceTimersByTime(1)
    expect(last().sent.at(-1)?.case).toBe('ping')
    last().sendFrame({ case: 'pong', value: { nonce: '' } })
    jest.advanceTimersByTime(15_000)
    expect(last().sent).toHaveLength(4)
    expect(realtime.state.status).toBe('open')
    jest.advanceTimersByTime(5_000)
    expect(realtime.state.status).toBe('waiting')
    expect(sockets[0]?.closed).toBe(true)
  })
})

describe('events missed while disconnected', () => {
  test('must be reloaded if the server does not replay', () => {
    const { last, resets } = open()
    last().serve({ position: 'p0' })
    expect(resets).toEqual([])
    last().drop()
    reconnect()
    last().serve({ position: 'p9' })
    expect(resets).toEqual(['reconnected'])
  })

  test('need no reload if the server resumes after the last position', () => {
    const { last, resets, states } = open()
    last().serve({ ...resumable, position: 'p0' })
    last().post('E1', 'p1')
    last().post('hint')
    last().drop()
    reconnect()
    last().serve({ ...resumable, position: 'p1' })
    expect(last().sent[1]).toMatchObject({ case: 'subscribeEvents', value: { resumePosition: 'p1' } })
    expect(states.at(-1)).toEqual({ status: 'open', resumed: true })
    expect(resets).toEqual([])
  })

  test('are delivered once, although the server repeats those that may not have arrived', () => {
    const { last, realtime } = open()
    const received: string[] = []
    realtime.onEvent(({ id, event }) => received.push(`${id} ${event.case}`))
    const markedAsRead = {
      case: 'event',
      value: { id: 'E1', position: 'p1', event: { case: 'roomMarkedAsRead', value: {} } },
    } as const
    last().serve({ ...resumable, position: 'p0' })
    last().post('E1', 'p1')
    last().drop()
    reconnect()
    last().serve({ ...resumable, position: 'p1' })
    last().post('E1', 'p1')
    last().sendFrame(markedAsRead)
    last().sendFrame(markedAsRead)
    last().post('E2', 'p2')
    last().post('E1')
    last().post('hint')
    expect(received).toEqual(
      ['E1', 'E1', 'E2', 'hint'].map((id, i) => `${id} ${i === 1 ? 'roomMarkedAsRead' : 'messagePosted'}`),
    )
  })

  test('are requested from the position of the last heartbeat', () => {
    const { last, realtime } = open()
    last().serve({ ...resumable, position: 'p0' })
    last().post('E1', 'p1')
    expect(realtime.position).toBe('p1')
    last().sendFrame({ case: 'heartbeat', value: { position: 'p7' } })
    last().sendFrame({ case: 'heartbeat', value: {} })
    expect(realtime.position).toBe('p7')
    last().drop()
    reconnect()
    last().serve({ ...resumable, position: 'p7' })
    expect(last().sent[1]).toMatchObject({ case: 'subscribeEvents', value: { resumePosition: 'p7' } })
  })

  test('must be reloaded if the position was too old', () => {
    const { last, resets } = open()
    last().serve({ ...resumable, position: 'p0' })
    last().drop()
    reconnect()
    last().serve({ ...resumable, position: 'p9', reset: true })
    expect(resets).toEqual(['reconnected'])
    last().drop()
    reconnect()
    last().accept()
    last().sendFrame({ case: 'hello', value: {} })
    expect(last().sent[1]?.value).toMatchObject({ resumePosition: 'p9' })
  })

  test('are requested from the position of an earlier stream', () => {
    const { last, resets } = open({ resumePosition: 'p5' })
    last().serve({ ...resumable, position: 'p7' })
    expect(last().sent[1]).toMatchObject({ case: 'subscribeEvents', value: { resumePosition: 'p5' } })
    expect(resets).toEqual([])
  })

  test('must be reloaded if the server cannot replay from the position of an earlier stream', () => {
    const { last, resets } = open({ resumePosition: 'p5' })
    last().serve({ ...resumable, position: 'p7', reset: true })
    expect(resets).toEqual(['reconnected'])
  })
})

type Events = ReturnType<Realtime['events']>

describe('the iterator', () => {
  test('gives events in order and ends with the stream', async () => {
    const { realtime, last } = open()
    const events = realtime.events()
    last().serve()
    last().post('E1')
    last().post('E2')
    realtime.close()
    const ids: string[] = []
    for await (const { id } of events) ids.push(id)
    expect(ids).toEqual(['E1', 'E2'])
    expect(await realtime.events().next()).toEqual({ done: true, value: undefined })
  })

  test.each([
    ['return', (events: Events) => void events.return()],
    ['throw', (events: Events) => void events.throw(new Error('enough')).catch(() => undefined)],
    ['await using', (events: Events) => void events[Symbol.asyncDispose]()],
  ])('holds no events if it is closed by %s before its first event', async (_, close) => {
    const { realtime, last, resets } = open()
    last().serve()
    const [unread, waiting] = [realtime.events(), realtime.events()]
    const next = waiting.next()
    close(unread)
    close(waiting)
    expect(await next).toEqual({ done: true, value: undefined })
    for (let i = 0; i <= 10_000; i++) last().post(`E${i}`)
    expect(resets).toEqual([])
    expect(await unread.next()).toEqual({ done: true, value: undefined })
  })

  test('answers several pending requests in their order', async () => {
    const { realtime, last } = open()
    last().serve()
    const events = realtime.events()
    const requested = [events.next(), events.next(), events.next()]
    last().post('E1')
    last().post('E2')
    realtime.close()
    expect((await Promise.all(requested)).map(({ value }) => value?.id)).toEqual(['E1', 'E2', undefined])
  })

  test('drops all unread events when there are too many, and reports that', async () => {
    const { realtime, last, resets } = open()
    const events = realtime.events()
    last().serve()
    for (let i = 0; i <= 10_000; i++) last().post(`E${i}`)
    expect(resets).toEqual(['fell_behind'])
    expect((await events.next()).value?.id).toBe('E10000')
  })
})

test('a closed stream stays closed, whatever its state was', () => {
  for (const status of ['connecting', 'open', 'waiting']) {
    const { realtime, last, sockets, states } = open()
    if (status !== 'connecting') last().serve()
    if (status === 'waiting') last().drop()
    realtime.close()
    realtime.close()
    reconnect()
    expect(states.filter((state) => state.status === 'closed')).toEqual([{ status: 'closed', reason: 'closed' }])
    expect(sockets.length).toBe(1)
    expect(last().closed).toBe(true)
  }
})

test('the pause before a reconnect ends when the browser reports a network', () => {
  const browserWindow = new EventTarget()
  Object.assign(globalThis, { window: browserWindow })
  try {
    const { realtime, last, sockets } = open()
    last().serve()
    browserWindow.dispatchEvent(new Event('online'))
    expect(sockets.length).toBe(1)
    last().drop()
    browserWindow.dispatchEvent(new Event('online'))
    expect(sockets.length).toBe(2)
    realtime.close()
    browserWindow.dispatchEvent(new Event('online'))
    expect(sockets.length).toBe(2)
  } finally {
    Reflect.deleteProperty(globalThis, 'window')
  }
})

test('a listener that closes the stream when the connection is lost prevents a reconnect', () => {
  const { realtime, last, sockets } = open()
  realtime.onState(({ status }) => status === 'waiting' && realtime.close())
  last().serve()
  last().drop()
  reconnect()
  expect(realtime.state.status).toBe('closed')
  expect(sockets.length).toBe(1)
})

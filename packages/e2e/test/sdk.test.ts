import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { createParleyClient, newerRoomEvents, olderRoomEvents, type ParleyClient, type Realtime } from '@parley/client'
import { eventually } from '@parley/testkit'
import { WebSocket } from 'ws'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner } from '../src/people.ts'
import { restartProcess, waitUntilHealthy } from '../src/processes.ts'
import { newRoom } from '../src/rooms.ts'

let ada: ParleyClient
let bob: ParleyClient
let roomId: string
let credentials: { login: string; password: string }

beforeAll(async () => {
  const [owner, one, other] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
  credentials = { login: one.login, password: one.password }
  const [base, otherBase] = fleet().gateways
  ada = createParleyClient({ baseUrl: base, webSocket: WebSocket })
  bob = createParleyClient({ baseUrl: otherBase, webSocket: WebSocket, token: other.token })
  await ada.signIn(credentials)
  roomId = await newRoom(owner)
})

const open: Realtime[] = []
afterEach(() => open.splice(0).forEach((realtime) => realtime.close()))

function listen(client: ParleyClient, options: Parameters<ParleyClient['realtime']>[0] = {}) {
  const realtime = client.realtime(options)
  open.push(realtime)
  const received: string[] = []
  realtime.on('messagePosted', ({ messageEventId }) => received.push(messageEventId))
  return { realtime, received }
}

const post = async (client: ParleyClient, body: string) =>
  (await client.api.message.createMessage({ roomId, body })).message?.id ?? ''

test('clients join a room; what one posts, the other receives as an event and fetches', async () => {
  const { user } = await ada.api.viewer.getViewer({})
  expect(user?.profile?.login).toBe(credentials.login)
  await ada.api.room.joinRoom({ roomId })
  await bob.api.room.joinRoom({ roomId })
  const { realtime, received } = listen(bob)
  await realtime.opened
  const first = await post(ada, 'first')
  await eventually(() => expect(received).toEqual([first]))
  const ids: string[] = []
  for await (const { id, event } of olderRoomEvents(bob.api.room, { roomId, limit: 2 })) {
    if (event.case === 'messagePosted') ids.push(id)
  }
  expect(ids).toEqual([first])
})

test('a client fetches the events after a cursor', async () => {
  const { page } = await bob.api.room.getRoomEvents({ roomId })
  const posted: string[] = []
  for (const body of ['one', 'two', 'three', 'four', 'five']) posted.push(await post(ada, body))
  const ids: string[] = []
  for await (const { id } of newerRoomEvents(bob.api.room, { roomId, after: page?.endCursor ?? '', limit: 2 }))
    ids.push(id)
  expect(ids).toEqual(posted)
})

test('realtime events can be received with an async iterator', async () => {
  const { realtime } = listen(bob)
  await realtime.opened
  const events = realtime.events()
  const posted = await post(ada, 'iterate')
  const received: string[] = []
  for await (const { event } of events) {
    if (event.case === 'messagePosted') received.push(event.value.messageEventId)
    // Events of earlier posts may still arrive before that of this one.
    if (received.includes(posted)) break
  }
  expect(received.at(-1)).toBe(posted)
})

test('failures are thrown as ConnectErrors with their code', async () => {
  await expect(ada.api.room.joinRoom({ roomId: 'Rnowhere' })).rejects.toMatchObject({ code: Code.NotFound })
  const stranger = createParleyClient({ baseUrl: fleet().gateways[0], webSocket: WebSocket })
  await expect(stranger.api.viewer.getViewer({})).rejects.toMatchObject({ code: Code.Unauthenticated })
  await expect(stranger.signIn({ login: credentials.login, password: 'wrong' })).rejects.toMatchObject({
    code: Code.Unauthenticated,
  })
  await expect(listen(stranger).realtime.opened).rejects.toMatchObject({ code: Code.Unauthenticated })
  const nobody = createParleyClient({ baseUrl: 'http://127.0.0.1:1', retry: { attempts: 2, initialMs: 1 } })
  await expect(nobody.discovery.getServer({})).rejects.toMatchObject({ code: Code.Unavailable })
})

describe('the stream', () => {
  test('reconnects when its realtime node is killed, and resumes without a reload', async () => {
    const resets: string[] = []
    const { realtime, received } = listen(bob, {
      url: fleet().gateways[1].replace('http', 'ws') + '/api/realtime',
      onReset: (reason) => resets.push(reason),
      backoff: { initialMs: 50 },
    })
    const { realtime: other } = listen(bob, { url: `${fleet().realtimeNodes[1].replace('http', 'ws')}/api/realtime` })
    const states: string[] = []
    realtime.onState((state) => states.push(state.status === 'open' && state.resumed ? 'resumed' : state.status))
    await Promise.all([realtime.opened, other.opened])
    await restartProcess('realtime', 0, 'SIGKILL')
    await restartProcess('realtime', 1, 'SIGKILL')
    const posted = await post(ada, 'are you back?')
    await eventually(() => expect(received).toContain(posted), { timeoutMs: 30_000 })
    expect(states).toEqual(expect.arrayContaining(['waiting', 'connecting', 'resumed']))
    expect(resets).toEqual([])
    await waitUntilHealthy()
  })

  test('continues after another client of the user with another token signs out', async () => {
    const [bot, leaving] = [0, 1].map(() => createParleyClient({ baseUrl: fleet().gateways[0], webSocket: WebSocket }))
    if (bot === undefined || leaving === undefined) throw new Error('no clients')
    await Promise.all([bot.signIn(credentials), leaving.signIn(credentials)])
    const resets: string[] = []
    const { realtime, received } = listen(bot, { onReset: (reason) => resets.push(reason) })
    const states: string[] = []
    realtime.onState(({ status }) => states.push(status))
    await realtime.opened
    await leaving.signOut()
    await eventually(() => expect(states).toEqual(['open', 'waiting', 'connecting', 'open']))
    expect(resets).toEqual([])
    const posted = await post(ada, 'are you still here?')
    await eventually(() => expect(received).toContain(posted))
  })

  test('is closed when its session ends', async () => {
    const leaving = createParleyClient({ baseUrl: fleet().gateways[0], webSocket: WebSocket })
    await leaving.signIn(credentials)
    const { realtime } = listen(leaving)
    const reasons: string[] = []
    realtime.on('sessionTerminated', ({ reason }) => reasons.push(reason))
    await realtime.opened
    await leaving.signOut()
    expect(leaving.token).toBeUndefined()
    await eventually(() => expect(realtime.state).toEqual({ status: 'closed', reason: 'session_terminated' }))
    expect(reasons).toEqual(['logout'])
  })
})

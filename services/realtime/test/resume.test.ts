import { beforeAll, describe, expect, test } from '@jest/globals'
import { PermissionDecision } from '@parley/contracts/admin'
import { eventually } from '@parley/testkit'
import { receivedBy, useEnv, waitUntilReady, settle, type Node } from './_env.ts'
import { groupsUpdated, everyoneDecision, posted, postedTo, profileUpdated, publish, roomFact } from './_events.ts'
import { Socket } from '@parley/testkit/realtime-socket'

const env = useEnv()
let node: Node
let rooms = 0

beforeAll(async () => {
  node = await env.start({ PARLEY_REALTIME_HEARTBEAT_INTERVAL: '100ms' })
  await waitUntilReady(node)
})

const joined = (userId: string) => ({ case: 'joined', value: { userId } }) as const
const left = (userId: string) => ({ case: 'left', value: { userId } }) as const
const newRoom = () => `Rresume${++rooms}`

const positionOf = (socket: Socket): string => {
  const positions = socket.frames.flatMap(({ case: kind, value }) =>
    kind === 'event' || kind === 'subscribed' || kind === 'heartbeat' ? value.position : [],
  )
  return positions.filter((position) => position !== '').at(-1) ?? ''
}

/** The user joins a new room and receives an event there; then the socket closes. */
async function connectMember(userId: string) {
  const room = newRoom()
  const token = env.signIn(userId)
  const socket = await Socket.subscribe(node.url, token)
  await publish(env.bus, roomFact(room, [1, 1], joined(userId)))
  // Nodes that start later load these standings.
  env.standings.set(userId, [{ roomId: room, member: true, version: 1 }])
  const first = posted(room, 2)
  await publish(env.bus, first)
  await socket.waitForEvent(first.id)
  const position = positionOf(socket)
  socket.close()
  return { room, token, position, first }
}

async function resume(at: Node, token: string, resumePosition: string): Promise<Socket> {
  const socket = await Socket.openWithHello(at.url, token)
  socket.send({ case: 'subscribeEvents', value: { resumePosition } })
  await socket.first('subscribed')
  return socket
}

describe('a socket that resumes', () => {
  test('receives missed events in order and once, then new ones', async () => {
    const { room, token, position } = await connectMember('Uanna')
    const [second, foreign, third] = [posted(room, 3), posted(newRoom(), 1), postedTo(['Uanna', 'Ubert'], newRoom(), 1)]
    const news = groupsUpdated(1)
    for (const event of [second, foreign, third, news]) await publish(env.bus, event)
    const witness = await env.socketOf(node, 'Uwitness')
    await settle(env, { Uwitness: [witness] })

    using socket = await resume(node, token, position)
    expect(await socket.first('hello')).toMatchObject({
      capabilities: expect.arrayContaining(['svc.realtime.resume.v1']),
    })
    expect(await socket.first('subscribed')).toMatchObject({ reset: false, position })
    const next = posted(room, 4)
    await publish(env.bus, next)
    await socket.waitForEvent(next.id)
    expect(receivedBy(socket)).toEqual([second.id, third.id, news.id, next.id])
    const withoutPosition = socket.events.filter((event) => event.position === '')
    expect(withoutPosition.map(({ id }) => id)).toEqual([news.id])
  })

  test('may use the position of a heartbeat, which advances even without events for the socket', async () => {
    const { room, token, position } = await connectMember('Ucarl')
    using quiet = await resume(node, token, position)
    for (let seq = 1; seq <= 20; seq++) await publish(env.bus, posted('Relsewhere', seq))
    await eventually(() => {
      const heartbeat = quiet.frames.findLast((frame) => frame.case === 'heartbeat')
      if (!heartbeat || heartbeat.value.position === position) throw new Error('no heartbeat with a later position')
    })
    const later = positionOf(quiet)
    quiet.close()
    const second = posted(room, 3)
    await publish(env.bus, second)
    using socket = await resume(node, token, later)
    expect(await socket.first('subscribed')).toMatchObject({ reset: false })
    await socket.waitForEvent(second.id)
  })

  test('may use a node that started in the meantime', async () => {
    const { room, token, position } = await connectMember('Udora')
    const second = posted(room, 3)
    await publish(env.bus, second)
    await using other = await env.start()
    await waitUntilReady(other)
    using socket = await resume(other, token, position)
    expect(await socket.first('subscribed')).toMatchObject({ reset: false })
    await socket.waitForEvent(second.id)
    expect(receivedBy(socket).at(-1)).toBe(second.id)
  })

  test('receives the newest of throttled changes', async () => {
    const { token, position } = await connectMember('Uemil')
    const changes = [1, 2, 3].map((version) => profileUpdated('Uchanging', version))
    for (const change of changes) await publish(env.bus, change)
    const witness = await env.socketOf(node, 'Uwitness')
    await settle(env, { Uwitness: [witness] })
    using socket = await resume(node, token, position)
    await socket.waitForEvent(changes[2]?.id ?? '')
    expect(receivedBy(socket)).not.toContain(changes[0]?.id)
    // Sent late, so without a position: a client must not resume from it.
    expect(socket.events.find(({ id }) => id === changes[2]?.id)).toMatchObject({ position: '' })
  })
})

describe('a resumed subscription', () => {
  test('is reset after a change of its user’s access', async () => {
    const { room, token, position } = await connectMember('Ufrida')
    const secret = posted(room, 4)
    for (const event of [posted(newRoom(), 1), roomFact(room, [3, 2], left('Ufrida')), secret])
      await publish(env.bus, event)
    env.standings.set('Ufrida', [{ roomId: room, member: false, version: 2 }])
    using socket = await resume(node, token, position)
    expect(await socket.first('subscribed')).toMatchObject({ reset: true })
    await settle(env, { Ufrida: [socket] })
    expect(receivedBy(socket)).toEqual([])
  })

  test('is not reset after a change of somebody else’s access or a new direct message', async () => {
    const { room, token, position } = await connectMember('Ugerd')
    const dm = newRoom()
    const inDm = postedTo(['Ugerd', 'Uhans'], dm, 2)
    for (const event of [
      roomFact(dm, [1, 1], joined('Ugerd'), { dm: true }),
      inDm,
      roomFact(room, [3, 2], joined('Uhans')),
    ])
      await publish(env.bus, event)
    using socket = await resume(node, token, position)
    expect(await socket.first('subscribed')).toMatchObject({ reset: false })
    await socket.waitForEvent(inDm.id)
  })

  test('is reset after a decision about roles', async () => {
    const { token, position } = await connectMember('Uida')
    await publish(
      env.bus,
      everyoneDecision(Number(++env.policy.revision), 'room.join', 'Rother', PermissionDecision.DENY),
    )
    const witness = await env.socketOf(node, 'Uwitness')
    await settle(env, { Uwitness: [witness] })
    using socket = await resume(node, token, position)
    expect(await socket.first('subscribed')).toMatchObject({ reset: true })
  })

  test.each(['', '12.ab', 'x'.repeat(10_000), '0.1\u0000'])(
    'is reset if its position was never issued, unless it is empty: %p',
    async (resumePosition) => {
      using socket = await resume(node, env.signIn('Uanna'), resumePosition)
      const { reset, position } = await socket.first('subscribed')
      expect({ reset, position }).toEqual({
        reset: resumePosition !== '',
        position: expect.stringMatching(/^[a-z0-9]+\.[a-z0-9]+$/),
      })
    },
  )
})

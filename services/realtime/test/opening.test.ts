import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { credentialDigest } from '@parley/credentials'
import { PermissionDecision } from '@parley/contracts/admin'
import { eventually, countUnestablished } from '@parley/testkit'
import { receivedBy, useEnv, waitUntilReady, secretKey, settle, type Node } from './_env.ts'
import { credentialsEnded, everyoneDecision, posted, publish, roomFact, rolesChanged } from './_events.ts'
import { Socket } from '@parley/testkit/realtime-socket'

const env = useEnv()
let node: Node
let witness: Socket

beforeAll(async () => {
  node = await env.start()
  await waitUntilReady(node)
  witness = await env.socketOf(node, 'Uwitness')
})

afterEach(() => env.unavailable.clear())

const joined = (userId: string) => ({ case: 'joined', value: { userId } }) as const
const left = (userId: string) => ({ case: 'left', value: { userId } }) as const
const untilProcessed = () => settle(env, { Uwitness: [witness] })

/** The subscription waits for the response of rooms, until `answer` is called. */
async function openingSocket(userId: string): Promise<{ socket: Socket; answer: () => Promise<void> }> {
  const before = env.requests.rooms
  const release = env.hold('rooms')
  const socket = await Socket.openWithHello(node.url, env.signIn(userId))
  socket.send({ case: 'subscribeEvents', value: {} })
  await eventually(() => env.requests.rooms > before)
  return {
    socket,
    async answer() {
      release()
      await socket.first('subscribed')
    },
  }
}

describe('changes during a call to rooms', () => {
  test('are applied, both joins and leaves', async () => {
    env.standings.set('Uanna', [
      { roomId: 'Rleft', member: true, version: 2 },
      { roomId: 'Rstays', member: true, version: 2 },
    ])
    const { socket, answer } = await openingSocket('Uanna')
    await publish(env.bus, roomFact('Rjoined', [1, 1], joined('Uanna')))
    await publish(env.bus, roomFact('Rleft', [3, 3], left('Uanna')))
    await untilProcessed()
    await answer()
    const received = ['Rjoined', 'Rstays'].map((room) => posted(room, 10))
    await publish(env.bus, posted('Rleft', 10))
    for (const message of received) await publish(env.bus, message)
    await settle(env, { Uanna: [socket] })
    expect(receivedBy(socket)).toEqual(received.map(({ id }) => id))
  })

  test('do not override newer data of the response', async () => {
    env.standings.set('Uberta', [{ roomId: 'Rdone', member: false, version: 9 }])
    const { socket, answer } = await openingSocket('Uberta')
    await publish(env.bus, roomFact('Rdone', [20, 8], joined('Uberta')))
    await untilProcessed()
    await answer()
    await publish(env.bus, posted('Rdone', 21))
    await settle(env, { Uberta: [socket] })
    expect(receivedBy(socket)).toEqual([])
  })

  test('include bans, universal rooms and decisions', async () => {
    env.standings.set('Uclara', [{ roomId: 'Rbanned', member: true, version: 1 }])
    const { socket, answer } = await openingSocket('Uclara')
    const created = { case: 'created', value: { universal: true } } as const
    await publish(env.bus, roomFact('Rbanned', [2, 2], { case: 'banned', value: { userId: 'Uclara' } }))
    await publish(env.bus, roomFact('Ropen', [1, 1], created, { universal: true }))
    await publish(env.bus, roomFact('Rdenied', [1, 1], created, { universal: true }))
    await publish(env.bus, everyoneDecision(2, 'room.join', 'Rdenied', PermissionDecision.DENY))
    await untilProcessed()
    await answer()
    const message = posted('Ropen', 10)
    await publish(env.bus, posted('Rbanned', 10))
    await publish(env.bus, posted('Rdenied', 10))
    await publish(env.bus, message)
    await settle(env, { Uclara: [socket] })
    expect(receivedBy(socket)).toEqual([message.id])
  })

  test('also apply to a socket that the same person opens later', async () => {
    const { socket, answer } = await openingSocket('Udora')
    await publish(env.bus, roomFact('Rdora', [1, 1], joined('Udora')))
    await untilProcessed()
    await answer()
    const second = await env.socketOf(node, 'Udora')
    const message = posted('Rdora', 2)
    await publish(env.bus, message)
    await Promise.all([socket.waitForEvent(message.id), second.waitForEvent(message.id)])
  })
})

test('a socket receives every event after the position that `subscribed` states', async () => {
  env.standings.set('Uemil', [{ roomId: 'Rbusy', member: true, version: 1 }])
  const before = await env.socketOf(node, 'Uemil')
  let seq = 100
  let publishing = true
  const ids: string[] = []
  const publisher = (async () => {
    while (publishing) {
      const message = posted('Rbusy', seq++)
      ids.push(message.id)
      await publish(env.bus, message)
    }
  })()
  const sockets = await Promise.all(
    Array.from({ length: 15 }, async () => Socket.subscribe(node.url, env.signIn('Uemil'))),
  )
  publishing = false
  await publisher
  await settle(env, { Uemil: [before, ...sockets] })
  expect(receivedBy(before)).toEqual(ids)
  const indexOf = new Map(before.events.map(({ position }, index) => [position, index]))
  for (const socket of sockets) {
    const [first, second] = socket.kinds
    expect([first, second]).toEqual(['hello', 'subscribed'])
    const { position } = await socket.first('subscribed')
    expect(receivedBy(socket)).toEqual(ids.slice((indexOf.get(position) ?? -1) + 1))
    socket.close()
  }
})

describe('changes of sessions and roles', () => {
  test('make the user’s sockets reconnect if an event has other roles than the known ones, and an older version', async () => {
    const change = rolesChanged('Uida', 3, [])
    const roles = { roleIds: ['owner'], rolesVersion: 9n }
    const socket = await Socket.subscribe(node.url, env.signIn('Uida', roles))
    const other = await Socket.subscribe(node.url, env.signIn('Uida', roles))
    await publish(env.bus, rolesChanged('Uida', 8, ['owner']))
    await settle(env, { Uida: [socket, other] })
    await publish(env.bus, change)
    expect(await Promise.all([socket.waitUntilClosed(), other.waitUntilClosed()])).toMatchObject([
      { reason: 'stream_closed' },
      { reason: 'stream_closed' },
    ])
    const again = await env.socketOf(node, 'Uida')
    await publish(env.bus, change)
    await settle(env, { Uida: [again] })
  })

  test('during a call to accounts: an ended session is refused', async () => {
    const release = env.hold('accounts')
    const before = env.requests.accounts
    const token = env.signIn('Ufrida', { credentialId: 'Sfrida' })
    const socket = await Socket.open(node.url)
    socket.send({ case: 'hello', value: { protocolVersion: 1, bearerToken: token } })
    await eventually(() => env.requests.accounts > before)
    await publish(env.bus, credentialsEnded('Ufrida', 5, { credentialIds: ['Sfrida'] }))
    await untilProcessed()
    release()
    expect(await socket.first('error')).toMatchObject({ code: 'authentication_required' })
  })

  test("during a call to accounts: another session's end has no effect", async () => {
    const release = env.hold('accounts')
    const before = env.requests.accounts
    const socket = await Socket.open(node.url)
    const bearerToken = env.signIn('Ugerd', { credentialId: 'Sgerd' })
    socket.send({ case: 'hello', value: { protocolVersion: 1, bearerToken } })
    await eventually(() => env.requests.accounts > before)
    await publish(env.bus, credentialsEnded('Ugerd', 5, { credentialIds: ['Sother'] }))
    await untilProcessed()
    release()
    await socket.first('hello')
  })

  test('during a call to accounts: newer roles from the stream are used', async () => {
    const created = { case: 'created', value: { universal: true } } as const
    await publish(env.bus, everyoneDecision(3, 'room.join', 'Rroles', PermissionDecision.DENY))
    await publish(env.bus, roomFact('Rroles', [1, 1], created, { universal: true }))
    const release = env.hold('accounts')
    const before = env.requests.accounts
    const socket = await Socket.open(node.url)
    const bearerToken = env.signIn('Uhugo', { roleIds: ['owner'], rolesVersion: 3n })
    socket.send({ case: 'hello', value: { protocolVersion: 1, bearerToken } })
    socket.send({ case: 'subscribeEvents', value: {} })
    await eventually(() => env.requests.accounts > before)
    await publish(env.bus, rolesChanged('Uhugo', 4, []))
    await untilProcessed()
    release()
    await socket.first('subscribed')
    await publish(env.bus, posted('Rroles', 2))
    await settle(env, { Uhugo: [socket] })
    expect(receivedBy(socket)).toEqual([])
  })
})

describe('the end of sessions', () => {
  test('by a logout closes all sockets of the person', async () => {
    const [first, second] = [await env.socketOf(node, 'Uida'), await env.socketOf(node, 'Uida')]
    const other = await env.socketOf(node, 'Ujan')
    const end = credentialsEnded('Uida', 7, { credentialIds: ['Sida'] })
    await publish(env.bus, end)
    for (const socket of [first, second]) {
      expect(await socket.waitUntilClosed()).toEqual({ code: 1008, reason: 'session_terminated' })
      const [event, close] = socket.frames.slice(-2)
      expect(event).toMatchObject({
        case: 'event',
        value: { id: end.id, event: { case: 'sessionTerminated', value: { reason: 'logout' } } },
      })
      expect(close).toMatchObject({
        case: 'close',
        value: { code: 'session_terminated', reconnect: false, retryAfterMs: 0 },
      })
    }
    await settle(env, { Ujan: [other] })
    expect(other.isClosed).toBe(false)
  })

  test('announced again much later closes only sockets without a valid session', async () => {
    const valid = await env.socketOf(node, 'Ukarl')
    const ended = await env.socketOf(node, 'Ulena')
    for (const [digest, { userId }] of env.sessions) if (userId === 'Ulena') env.sessions.delete(digest)
    const at = new Date(Date.now() - 10 * 60_000)
    const checks = env.requests.accounts
    await publish(env.bus, credentialsEnded('Ukarl', 7, { all: true, at }))
    await publish(env.bus, credentialsEnded('Ulena', 7, { all: true, at }))
    expect(await ended.waitUntilClosed()).toEqual({ code: 1008, reason: 'session_terminated' })
    await eventually(() => env.requests.accounts >= checks + 2)
    await settle(env, { Ukarl: [valid] })
    expect(valid.isClosed).toBe(false)
  })

  test('without an event is detected when sessions are checked', async () => {
    const strict = await env.start({ PARLEY_REALTIME_VERIFY_INTERVAL: '200ms' })
    await waitUntilReady(strict)
    const valid = await env.socketOf(strict, 'Umax')
    const ended = await env.socketOf(strict, 'Unora')
    for (const [digest, { userId }] of env.sessions) if (userId === 'Unora') env.sessions.delete(digest)
    expect(await ended.waitUntilClosed()).toEqual({ code: 1008, reason: 'session_terminated' })
    // While accounts does not answer, nobody is disconnected.
    env.unavailable.add('accounts')
    const checks = env.requests.accounts
    await eventually(() => env.requests.accounts > checks + 1)
    await settle(env, { Umax: [valid] })
    expect(valid.isClosed).toBe(false)
    await strict[Symbol.asyncDispose]()
  })

  test('is not assumed for a session that is now stored under another digest', async () => {
    const strict = await env.start({ PARLEY_REALTIME_VERIFY_INTERVAL: '200ms' })
    await waitUntilReady(strict)
    const socket = await env.socketOf(strict, 'Uolga')
    for (const [digest, session] of [...env.sessions])
      if (session.userId === 'Uolga') {
        env.sessions.delete(digest)
        env.sessions.set('the digest of another handle', session)
      }
    const checks = env.requests.accounts
    await eventually(() => env.requests.accounts > checks + 1)
    await settle(env, { Uolga: [socket] })
    expect(socket.isClosed).toBe(false)
    await strict[Symbol.asyncDispose]()
  })
})

describe('a session stored under the previous secret key', () => {
  const newKey = 'the secret key after its rotation, long enough'
  const digestUnder = (key: string, token: string) => credentialDigest(key, token).toString('hex')

  test('opens a socket, and is then stored under the current key', async () => {
    const rotated = { PARLEY_CORE_SECRET_KEY: newKey, PARLEY_CORE_SECRET_KEY_PREVIOUS: secretKey }
    const node = await env.start(rotated)
    await waitUntilReady(node)
    const token = env.signIn('Upia')
    const socket = await Socket.openWithHello(node.url, token)
    await eventually(() => expect(env.sessions.get(digestUnder(newKey, token))?.userId).toBe('Upia'))
    expect(env.sessions.has(digestUnder(secretKey, token))).toBe(false)
    await Socket.openWithHello(node.url, token)
    expect(socket.isClosed).toBe(false)
    await node[Symbol.asyncDispose]()
  })

  test('is refused once that key is retired', async () => {
    const node = await env.start({ PARLEY_CORE_SECRET_KEY: newKey })
    await waitUntilReady(node)
    const outcome = await Socket.openWithHello(node.url, env.signIn('Uquinn')).then(
      () => 'greeted',
      () => 'refused',
    )
    expect(outcome).toBe('refused')
    await node[Symbol.asyncDispose]()
  })
})

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('the kernel completes a whole burst of connections before the node accepts the first', async () => {
  expect(await countUnestablished(Number(new URL(node.url).port), 1_500)).toBe(0)
})

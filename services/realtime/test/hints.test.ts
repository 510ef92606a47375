import { create, toBinary } from '@bufbuild/protobuf'
import { beforeAll, expect, test } from '@jest/globals'
import { PresenceStatus } from '@parley/contracts/api'
import { PresenceHintSchema, TypingHintSchema } from '@parley/contracts/internal'
import { presenceHintSubject, typingHintSubject } from '@parley/events'
import { eventually } from '@parley/testkit'
import { useEnv, waitUntilReady, settle, type Node } from './_env.ts'
import { publish, roomFact } from './_events.ts'
import type { Socket } from '@parley/testkit/realtime-socket'

const env = useEnv()
let nodes: Node[]
let sockets: Socket[]

beforeAll(async () => {
  nodes = [await env.start(), await env.start()]
  for (const node of nodes) await waitUntilReady(node)
  sockets = await Promise.all(nodes.map((node, n) => env.socketOf(node, `U${n}`)))
})

const { ONLINE, AWAY, OFFLINE } = PresenceStatus

function publishPresence(userId: string, status: PresenceStatus, version: number): void {
  const hint = create(PresenceHintSchema, { userId, status, version: BigInt(version) })
  env.bus.nc.publish(presenceHintSubject(userId), toBinary(PresenceHintSchema, hint))
}

const received = (socket: Socket) =>
  socket.events.flatMap(({ event }) => (event.case === 'presenceChanged' ? [event.value] : []))

test('everyone receives presence changes on every node, without outdated ones', async () => {
  publishPresence('Uanna', ONLINE, 10)
  publishPresence('Uanna', OFFLINE, 30)
  publishPresence('Uanna', AWAY, 20)
  publishPresence('Uanna', OFFLINE, 30)
  env.bus.nc.publish(presenceHintSubject('Uanna'), 'no hint')
  publishPresence('Ubert', AWAY, 5)
  for (const socket of sockets) {
    await eventually(() => expect(received(socket)).toHaveLength(3))
    // Anna's next change is sent a moment later; Bert's does not wait.
    expect(received(socket)).toMatchObject([
      { userId: 'Uanna', status: ONLINE },
      { userId: 'Ubert', status: AWAY },
      { userId: 'Uanna', status: OFFLINE },
    ])
    const envelopes = socket.events.filter(({ event }) => event.case === 'presenceChanged')
    expect(new Set(envelopes.map(({ id }) => id)).size).toBe(3)
    // A hint has no position.
    expect(envelopes.map(({ position }) => position)).toEqual(['', '', ''])
    expect(envelopes.every(({ createdAt }) => createdAt !== undefined)).toBe(true)
  }
})

function publishTyping(userId: string, roomId: string, dmParticipantIds: string[] = []): void {
  const hint = create(TypingHintSchema, { roomId, userId, dmParticipantIds })
  env.bus.nc.publish(typingHintSubject(roomId), toBinary(TypingHintSchema, hint))
}
const typing = (socket: Socket) =>
  socket.events.flatMap(({ event, actorId, position }) =>
    event.case === 'userTyping' ? [{ from: actorId, roomId: event.value.roomId, position }] : [],
  )

test('only other members receive typing hints, on every node', async () => {
  env.standings.set('Utea', [{ roomId: 'Rtea', member: true, version: 2 }])
  env.standings.set('Umilk', [{ roomId: 'Rtea', member: true, version: 3 }])
  const [tea, milk, outside] = [
    await Promise.all(nodes.map((node) => env.socketOf(node, 'Utea'))),
    await Promise.all(nodes.map((node) => env.socketOf(node, 'Umilk'))),
    await Promise.all(nodes.map((node) => env.socketOf(node, 'Uoutside'))),
  ]
  publishTyping('Utea', 'Rtea')
  for (const socket of milk) await eventually(() => expect(typing(socket)).toHaveLength(1))
  publishTyping('Umilk', 'Rtea')
  const fromMilk = { from: 'Umilk', roomId: 'Rtea', position: '' }
  for (const socket of tea) await eventually(() => expect(typing(socket)).toEqual([fromMilk]))
  await publish(env.bus, roomFact('Rtea', [4, 4], { case: 'left', value: { userId: 'Umilk' } }))
  // A hint may overtake events, so the next is sent after the leave has arrived.
  await settle(env, { Utea: tea, Umilk: milk })
  publishTyping('Usugar', 'Rtea')
  for (const socket of tea) await eventually(() => expect(typing(socket)).toHaveLength(2))
  await settle(env, { Umilk: milk, Uoutside: outside })
  for (const socket of milk) expect(typing(socket)).toEqual([{ from: 'Utea', roomId: 'Rtea', position: '' }])
  for (const socket of outside) expect(typing(socket)).toEqual([])
})

test('participants of a direct message receive the typing hints of each other', async () => {
  const [one, two] = [await env.socketOf(nodes[0] as Node, 'Uone'), await env.socketOf(nodes[1] as Node, 'Utwo')]
  publishTyping('Uone', 'Rdirect', ['Uone', 'Utwo'])
  await eventually(() => expect(typing(two)).toMatchObject([{ from: 'Uone', roomId: 'Rdirect' }]))
  publishTyping('Utwo', 'Rdirect', ['Uone', 'Utwo'])
  await eventually(() => expect(typing(one)).toMatchObject([{ from: 'Utwo', roomId: 'Rdirect' }]))
})

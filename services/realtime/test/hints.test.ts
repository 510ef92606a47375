import { create, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { PresenceStatus } from '@parley/contracts/api'
import { PresenceHintSchema } from '@parley/contracts/internal'
import { presenceHintSubject } from '@parley/events'
import { eventually } from '@parley/testkit'
import { openEnv, ready, type Env, type Node } from './_env.ts'
import type { Socket } from './_socket.ts'

let env: Env
let nodes: Node[]
let sockets: Socket[]

beforeAll(async () => {
  env = await openEnv()
  nodes = [await env.start(), await env.start()]
  for (const node of nodes) await ready(node)
  sockets = await Promise.all(nodes.map((node, n) => env.socketOf(node, `U${n}`)))
})

afterAll(async () => env[Symbol.asyncDispose]())

const { ONLINE, AWAY, OFFLINE } = PresenceStatus

function tell(userId: string, status: PresenceStatus, version: number): void {
  const hint = create(PresenceHintSchema, { userId, status, version: BigInt(version) })
  env.bus.nc.publish(presenceHintSubject(userId), toBinary(PresenceHintSchema, hint))
}

const heard = (socket: Socket) =>
  socket.events.flatMap(({ event }) => (event.case === 'presenceChanged' ? [event.value] : []))

test('everyone hears who comes and goes, on every node; what comes late is not told', async () => {
  tell('Uanna', ONLINE, 10)
  tell('Uanna', OFFLINE, 30)
  tell('Uanna', AWAY, 20)
  tell('Uanna', OFFLINE, 30)
  env.bus.nc.publish(presenceHintSubject('Uanna'), 'no hint')
  tell('Ubert', AWAY, 5)
  for (const socket of sockets) {
    await eventually(() => expect(heard(socket)).toHaveLength(3))
    expect(heard(socket)).toMatchObject([
      { userId: 'Uanna', status: ONLINE },
      { userId: 'Uanna', status: OFFLINE },
      { userId: 'Ubert', status: AWAY },
    ])
    const envelopes = socket.events.filter(({ event }) => event.case === 'presenceChanged')
    expect(new Set(envelopes.map(({ id }) => id)).size).toBe(3)
    // A hint has no place on the stream to come back to.
    expect(envelopes.map(({ position }) => position)).toEqual(['', '', ''])
    expect(envelopes.every(({ createdAt }) => createdAt !== undefined)).toBe(true)
  }
})

import { beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { useEnv, waitUntilReady, type Node } from './_env.ts'
import { groupsUpdated, postedTo, publish } from './_events.ts'
import { Socket } from '@parley/testkit/realtime-socket'

const env = useEnv()
let node: Node
const sockets: Socket[] = []

beforeAll(async () => {
  env.beforeDispose('the crowd', () => sockets.forEach((socket) => socket.close()))
  node = await env.start({ PARLEY_REALTIME_SOCKETS_PER_PERSON: '0' })
  await waitUntilReady(node)
  const token = env.signIn('Uanna')
  for (let n = 0; n < 11; n++)
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => Socket.subscribe(node.url, token)))))
})

test('an event for more than a thousand sockets reaches each once', async () => {
  const [toAll, toAnna] = [groupsUpdated(1), postedTo(['Uanna'], 'Rdm', 1)]
  await publish(env.bus, toAll)
  await publish(env.bus, toAnna)
  await eventually(() => {
    for (const socket of sockets) expect(socket.eventIds).toEqual(expect.arrayContaining([toAll.id, toAnna.id]))
  })
  const late = sockets.filter(({ eventIds }) => eventIds.indexOf(toAll.id) > eventIds.indexOf(toAnna.id))
  expect(late.length).toBeGreaterThan(sockets.length / 2)
  expect(sockets.filter(({ eventIds }) => eventIds.length !== 2)).toEqual([])
})

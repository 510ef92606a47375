import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { createParleyClient, newerRoomEvents, type ParleyClient, type Realtime } from '@parley/client'
import { MessageService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { WebSocket } from 'ws'
import { fleet } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { restartProcess, waitUntilHealthy } from '../src/processes.ts'
import { newRoom } from '../src/rooms.ts'
import { Traffic } from '../src/traffic.ts'

const clientCount = 12

let ada: Person
let client: ParleyClient
let roomId: string
beforeAll(async () => {
  const [owner, person] = await Promise.all([signInOwner(), newPerson('ada')])
  ada = person
  roomId = await newRoom(owner, [ada])
  const [baseUrl] = fleet().gateways
  client = createParleyClient({ baseUrl, webSocket: WebSocket, token: ada.token })
})

const open: Realtime[] = []
afterEach(() => open.splice(0).forEach((realtime) => realtime.close()))
afterEach(waitUntilHealthy)

function listen(n: number) {
  const nodes = fleet().realtimeNodes
  let attempts = n
  const received: string[] = []
  const resets: string[] = []
  let resumed = 0
  const realtime = client.realtime({
    url: () => `${nodes[attempts++ % nodes.length]?.replace(/^http/, 'ws')}/api/realtime`,
    onReset: (reason) => resets.push(reason),
  })
  open.push(realtime)
  realtime.on('messagePosted', (event) => {
    if (event.roomId === roomId) received.push(event.messageEventId)
  })
  realtime.onState((state) => {
    if (state.status === 'open' && state.resumed) resumed++
  })
  return { realtime, received, resets, resumed: () => resumed }
}

async function postedAfter(cursor: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { id, event } of newerRoomEvents(client.api.room, { roomId, after: cursor, limit: 50 }))
    if (event.case === 'messagePosted') ids.push(id)
  return ids
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'under load, after %s of one realtime node and then the other, no client misses a message or has to reload',
  async (signal) => {
    const { page } = await client.api.room.getRoomEvents({ roomId })
    const listening = Array.from({ length: clientCount }, (_, n) => listen(n))
    await Promise.all(listening.map(({ realtime }) => realtime.opened))
    const [base] = fleet().gateways
    const traffic = new Traffic(2, 20, (n) =>
      ada.attempt(MessageService.method.createMessage, { roomId, body: `number ${n}` }, { base }),
    )
    for (const index of [0, 1]) {
      const before = listening.map(({ resumed }) => resumed())
      await restartProcess('realtime', index, signal)
      // At least half of the clients were connected to that node.
      await eventually(() => {
        expect(listening.filter(({ resumed }, i) => resumed() > (before[i] ?? 0)).length).toBeGreaterThan(0)
        expect(listening.map(({ realtime }) => realtime.state.status)).toEqual(listening.map(() => 'open'))
      })
    }
    await traffic.stop()
    const posted = await postedAfter(page?.endCursor ?? '')
    expect(posted.length).toBeGreaterThan(20)
    for (const { received, resets } of listening) {
      await eventually(() => expect(received.at(-1)).toBe(posted.at(-1)))
      // Ignores messages that were posted before the cursor was fetched.
      expect(received.filter((id) => posted.includes(id))).toEqual(posted)
      expect(resets).toEqual([])
    }
  },
)

test('a client that gained access to a room while it was disconnected has to reload', async () => {
  const before = listen(0)
  await before.realtime.opened
  const positions: string[] = []
  before.realtime.onEvent(({ position }) => positions.push(position))
  await client.api.message.createMessage({ roomId, body: 'here is a position' })
  const position = await eventually(() => positions.find((one) => one !== '') ?? Promise.reject(new Error('no event')))
  before.realtime.close()

  const resume = async () => {
    const resets: string[] = []
    const realtime = client.realtime({ resumePosition: position, onReset: (reason) => resets.push(reason) })
    open.push(realtime)
    await realtime.opened
    return resets
  }
  expect(await resume()).toEqual([])
  await client.api.room.joinRoom({ roomId: await newRoom(await signInOwner()) })
  expect(await resume()).toEqual(['reconnected'])
})

import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { MessageService } from '@parley/contracts/api'
import { eventually, freeze } from '@parley/testkit'
import { databaseOf } from '../src/databases.ts'
import { fleet, reasonNotToFreeze } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { waitUntilBothServe, processesOf, processOf, waitUntilHealthy } from '../src/processes.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { messageIds, timelineOf } from '../src/timeline.ts'
import { Traffic } from '../src/traffic.ts'

let owner: Person
let ada: Person
let bob: Person
beforeAll(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})
afterEach(waitUntilHealthy)

const receivedIn = (socket: Socket, roomId: string) =>
  socket.events.flatMap(({ event }) =>
    event.case === 'messagePosted' && event.value.roomId === roomId ? [event.value.messageEventId] : [],
  )

async function expectReceivedOnce(socket: Socket, roomId: string) {
  const written = messageIds(await timelineOf(ada, roomId))
  for (const id of written) await socket.waitForMessage(id)
  await socket.roundTrip()
  expect(receivedIn(socket, roomId)).toEqual(written)
}

const startPosting = (roomId: string) =>
  new Traffic(4, 10, (n) =>
    ada.attempt(
      MessageService.method.createMessage,
      { roomId, body: `number ${n}` },
      { base: fleet().gateways[n % 2 === 0 ? 0 : 1], headers: { 'connect-timeout-ms': '8000' } },
    ),
  )

const why = reasonNotToFreeze()
const describeOrSkip = why === undefined ? describe : describe.skip

describeOrSkip(`with one of two messaging processes frozen${why ?? ''}`, () => {
  test('calls succeed and their events arrive', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    using socket = await Socket.subscribe(fleet().realtimeNodes[0], bob.token)
    {
      using _ = freeze(processOf('messaging').pid)
      const traffic = startPosting(roomId)
      await eventually(() => expect(traffic.outcomes.length).toBeGreaterThan(40), { timeoutMs: 60_000 })
      await traffic.stop()
      expect(traffic.failed).toEqual([])
      await expectReceivedOnce(socket, roomId)
    }
    await waitUntilHealthy()
    await post(ada, roomId, 'and both are back')
    await expectReceivedOnce(socket, roomId)
  })
})

describe('when messaging is killed', () => {
  test('between commit and publish, the message is stored and its event arrives exactly once', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    using socket = await Socket.subscribe(fleet().realtimeNodes[1], bob.token)
    await socket.waitForMessage(await post(ada, roomId, 'before'))
    const killed = processesOf('messaging').map(({ pid }) => pid)
    let eventId: string
    {
      // The relays stop publishing when their leases expire, because none can be renewed.
      await using database = await databaseOf('messaging')
      await database.query('begin')
      await database.query('lock table outbox_leases in access exclusive mode')
      eventId = await eventually(async () => {
        const id = await post(ada, roomId, 'committed')
        await new Promise((resolve) => setTimeout(resolve, 300))
        const { rowCount } = await database.query('select 1 from outbox where event_id = $1', [id])
        if (rowCount !== 1 || receivedIn(socket, roomId).includes(id)) throw new Error('a relay still publishes')
        return id
      })
      for (const pid of killed) process.kill(pid, 'SIGKILL')
    }
    await waitUntilBothServe('messaging', killed)
    const { message } = await bob.call(MessageService.method.getMessage, { roomId, eventId })
    expect(message?.body).toBe('committed')
    await expectReceivedOnce(socket, roomId)
  })

  test('acknowledged messages are stored and stored ones arrive exactly once', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    using socket = await Socket.subscribe(fleet().realtimeNodes[0], bob.token)
    const traffic = startPosting(roomId)
    for (let round = 0; round < 2; round++) {
      const before = traffic.succeeded.length
      await eventually(() => expect(traffic.succeeded.length).toBeGreaterThan(before + 20), { timeoutMs: 60_000 })
      const killed = processesOf('messaging').map(({ pid }) => pid)
      for (const pid of killed) process.kill(pid, 'SIGKILL')
      await waitUntilBothServe('messaging', killed)
    }
    await waitUntilHealthy()
    await traffic.stop()
    const answered = traffic.succeeded.map(({ answer }) => (answer?.body as { message: { id: string } }).message.id)
    expect(messageIds(await timelineOf(ada, roomId))).toEqual(expect.arrayContaining(answered))
    await expectReceivedOnce(socket, roomId)
  })
})

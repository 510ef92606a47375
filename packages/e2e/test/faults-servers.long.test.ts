import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { MessageService, RoomDirectoryService, ViewerService } from '@parley/contracts/api'
import { eventually, freeze } from '@parley/testkit'
import { fleet, isCompact, serverPid } from '../src/fleet.ts'
import { codeOf } from '../src/http.ts'
import { newPerson, type Person, signIn, signInOwner } from '../src/people.ts'
import { waitUntilHealthy } from '../src/processes.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { messageIds, timelineOf } from '../src/timeline.ts'
import { Traffic } from '../src/traffic.ts'

const deadlineMs = 6_000
const graceMs = 4_000

let owner: Person
let ada: Person
let roomId: string
beforeAll(async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
  roomId = await newRoom(owner, [ada])
})
afterEach(waitUntilHealthy)

const servicePids = () =>
  fleet()
    .state()
    .services.map(({ name, pid }) => `${name} ${pid}`)
    .sort()

function startConversation() {
  const headers = (n: number) => ({
    'connect-timeout-ms': String(deadlineMs),
    'idempotency-key': `n${n}-${roomId}-${run}`,
  })
  const run = Math.random()
  return new Traffic(4, 20, (n) => {
    const options = { base: fleet().gateways[n % 2 === 0 ? 0 : 1], headers: headers(n) }
    return n % 3 === 0
      ? ada.attempt(RoomDirectoryService.method.getRoom, { roomId }, options)
      : ada.attempt(MessageService.method.createMessage, { roomId, body: `number ${n}` }, options)
  })
}

/** Ends the server twice, because the supervisor waits longer before the second restart. */
async function causeOutage(name: 'postgres' | 'nats', signal: NodeJS.Signals) {
  for (let times = 0; times < 2; times++) {
    const pid = await eventually(() => serverPid(name))
    process.kill(pid, signal)
    await eventually(() => serverPidOr(name) !== pid, { timeoutMs: 30_000 })
  }
}

/** Gateways and nodes reconnect at different times. */
function waitUntilServedEverywhere(): Promise<void> {
  return eventually(
    async () => {
      for (const base of fleet().gateways)
        await ada.call(MessageService.method.createMessage, { roomId, body: 'still there?' }, { base })
      for (const node of fleet().realtimeNodes) (await Socket.subscribe(node, ada.token))[Symbol.dispose]()
    },
    { timeoutMs: 30_000 },
  )
}

function serverPidOr(name: 'postgres' | 'nats'): number | undefined {
  try {
    return serverPid(name)
  } catch {
    return undefined
  }
}

test.each([
  ['NATS', 'nats', 'SIGKILL'],
  ['PostgreSQL', 'postgres', 'SIGINT'],
] as const)(
  '%s stopped: calls fail with unavailable, and succeed again without a restart of any service',
  async (_, name, signal) => {
    const before = servicePids()
    const sockets = await Promise.all(fleet().realtimeNodes.map((node) => Socket.subscribe(node, ada.token)))
    const earlier = new Set(messageIds(await timelineOf(ada, roomId)))
    const traffic = startConversation()
    await eventually(() => expect(traffic.succeeded.length).toBeGreaterThan(10))
    await causeOutage(name, signal)
    const backFrom = traffic.outcomes.length
    await eventually(() => traffic.succeeded.some(({ n }) => n > backFrom), { timeoutMs: 30_000 })
    const outcomes = await traffic.stop()
    await waitUntilServedEverywhere()

    const failures = outcomes.filter(({ answer }) => answer?.status !== 200)
    const codes = new Set(failures.map(({ answer, failure }) => failure ?? (answer && codeOf(answer))))
    // In the compact layout calls do not use the bus, so all of them may succeed.
    const expected = isCompact() && name === 'nats' && failures.length === 0 ? [] : ['unavailable']
    expect(codes).toEqual(new Set(expected))
    expect(Math.max(...outcomes.map(({ tookMs }) => tookMs))).toBeLessThan(deadlineMs + graceMs)

    const posted = traffic.succeeded.flatMap(({ answer }) => {
      const { message } = answer?.body as { message?: { id: string } }
      return message === undefined ? [] : [message.id]
    })
    const written = messageIds(await timelineOf(ada, roomId))
    expect(written).toEqual(expect.arrayContaining(posted))
    expect(new Set(written).size).toBe(written.length)

    // A socket that stayed open has received everything; the others were told to reconnect.
    const last = await post(ada, roomId, 'everybody there?')
    for (const [index, socket] of sockets.entries()) {
      if (socket.isClosed) {
        expect(socket.frames.at(-1)).toMatchObject({ case: 'close', value: { reconnect: true } })
        using again = await Socket.subscribe(fleet().realtimeNodes[index === 0 ? 0 : 1], ada.token)
        await again.waitForMessage(await post(ada, roomId, 'welcome back'))
      } else {
        await socket.waitForMessage(last)
        const received = socket.events.flatMap(({ event }) =>
          event.case === 'messagePosted' ? [event.value.messageEventId] : [],
        )
        expect(new Set(received)).toEqual(new Set([...written, last].filter((id) => !earlier.has(id))))
      }
      socket[Symbol.dispose]()
    }
    expect(servicePids()).toEqual(before)
  },
)

test('NATS frozen: a call fails with unavailable and does not hang; in the compact layout it succeeds', async () => {
  const headers = { 'connect-timeout-ms': String(deadlineMs) }
  const readRoom = () => ada.attempt(RoomDirectoryService.method.getRoom, { roomId }, { headers })
  {
    using _ = freeze(serverPid('nats'))
    const startedAt = performance.now()
    const answer = await readRoom()
    const expected = isCompact() ? undefined : 'unavailable'
    expect([codeOf(answer), performance.now() - startedAt < deadlineMs + graceMs]).toEqual([expected, true])
  }
  await waitUntilServedEverywhere()
})

describe('Redis frozen', () => {
  test('sign-in and chat continue', async () => {
    const pid = serverPid('redis')
    using _ = freeze(pid)
    const again = await signIn(ada)
    using socket = await Socket.subscribe(fleet().realtimeNodes[0], again.token)
    await socket.waitForMessage(await post(again, roomId, 'who needs a cache?'))
    await again.call(ViewerService.method.getViewer, {}, { base: fleet().gateways[1] })
  })
})

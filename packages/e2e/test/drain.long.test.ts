import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { MessageService, RoomDirectoryService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { fleet, isCompact } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { restartProcess, waitUntilHealthy } from '../src/processes.ts'
import { newRoom } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { Traffic } from '../src/traffic.ts'

let owner: Person
let ada: Person
let roomId: string
beforeAll(async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
  roomId = await newRoom(owner, [ada])
})
afterEach(waitUntilHealthy)

const startCalls = (bases: readonly string[]) =>
  new Traffic(4, 5, (n) => {
    const options = { base: bases[n % bases.length] ?? '', headers: { 'connect-timeout-ms': '8000' } }
    return n % 2 === 0
      ? ada.attempt(MessageService.method.createMessage, { roomId, body: `number ${n}` }, options)
      : ada.attempt(RoomDirectoryService.method.listRoomGroups, {}, options)
  })

const withoutRefusedConnections = (failures: readonly string[]) =>
  failures.filter((failure) => !/ECONNREFUSED/.test(failure))

describe('no accepted call fails while a process is replaced', () => {
  test.each(['messaging', 'rooms', 'accounts', 'admin'])('%s', async (name) => {
    const traffic = startCalls(fleet().gateways)
    await eventually(() => expect(traffic.succeeded.length).toBeGreaterThan(10))
    await restartProcess(name, 0, 'SIGTERM')
    await restartProcess(name, 1, 'SIGTERM')
    await eventually(() => expect(traffic.succeeded.length).toBeGreaterThan(20))
    await traffic.stop()
    expect(isCompact() ? withoutRefusedConnections(traffic.failed) : traffic.failed).toEqual([])
  })

  test('gateway', async () => {
    const [, base] = fleet().gateways
    const traffic = startCalls([base])
    await eventually(() => expect(traffic.succeeded.length).toBeGreaterThan(10))
    await restartProcess('gateway', 1, 'SIGTERM')
    await eventually(() => fetch(`${base}/readyz`).then(({ status }) => status === 200))
    await eventually(() => expect(traffic.succeeded.length).toBeGreaterThan(20))
    await traffic.stop()
    expect(withoutRefusedConnections(traffic.failed)).toEqual([])
  })
})

test.each(['realtime', 'gateway'])(
  'a stopping %s process tells its sockets to reconnect, spread over time',
  async (name) => {
    const [node] = name === 'gateway' ? fleet().gateways : fleet().realtimeNodes
    const sockets = await Promise.all(Array.from({ length: 12 }, () => Socket.subscribe(node, ada.token)))
    await restartProcess(name, 0, 'SIGTERM')
    const delays = new Set<number>()
    for (const socket of sockets) {
      expect(await socket.waitUntilClosed()).toMatchObject({ code: 1012 })
      const last = socket.frames.at(-1)
      expect(last).toMatchObject({ case: 'close', value: { code: 'draining', reconnect: true } })
      if (last?.case === 'close') delays.add(last.value.retryAfterMs)
    }
    expect(delays.size).toBeGreaterThan(1)
  },
)

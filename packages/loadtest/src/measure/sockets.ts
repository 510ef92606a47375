import { create, toBinary } from '@bufbuild/protobuf'
import { MessageService } from '@parley/contracts/api'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import type { Fleet } from '@parley/local'
import { readBudgets } from '../cost/budgets.ts'
import type { CallFloors } from '../floors/call-floors.ts'
import { publishFloor } from '../floors/floors.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { childrenMs as processorMs } from '../load/processor-time.ts'
import { newRoom } from '../load/rooms.ts'
import { Sockets } from '../load/sockets.ts'
import { summary } from '../load/timing.ts'
import type { Report } from '../report.ts'
import { body } from './posting.ts'
import { measureReconnecting } from './reconnecting.ts'

/** The number of sockets for which processor time is measured. */
const weighed = 1000
/** Number of posts, and how many of the first ones are warm-up. */
const [rounds, warmUp] = [110, 10]

/**
 * Measures idle sockets and their return after all were dropped; the time from a post until every socket of its room
 * has received it, for up to 2,000; and the cost of a delivery and of opening a socket, as processor time of the whole
 * fleet.
 */
export async function measureSockets(
  fleet: Fleet,
  http: HttpCaller,
  floors: CallFloors,
  report: Report,
): Promise<void> {
  const budgets = readBudgets()
  const floor = floors.select[1].processorMs
  const budget = (name: string) => (budgets.get(name) ?? Number.NaN) * floor
  const roomId = await newRoom(http, 'bench-sockets')
  const node = fleet.services.find(({ name }) => name === 'realtime')
  if (!node?.url) throw new Error('the realtime node reported no address')
  // First, because memory that earlier sockets left allocated would hide the memory of these.
  const returning = { roomId, selectMs: floor, budgetMs: budget('opening a socket') }
  await measureReconnecting(fleet, returning, report)
  const frame = toBinary(RealtimeServerFrameSchema, create(RealtimeServerFrameSchema, exampleFrame(roomId)))
  using sockets = new Sockets()

  for (const count of [1, 100, weighed, 2000]) {
    const opened = count - sockets.size
    const before = processorMs()
    await sockets.open(node.url, http.token, opened)
    if (count === weighed) {
      const taken = (processorMs() - before) / opened
      report.add('opening a socket, processor time', taken, 'ms', floor, budget('opening a socket'))
    }
    const raw = await publishFloor(count, frame)
    report.add(`raw publish to ${count} sockets p50`, raw.p50, 'ms')
    const quiet = processorMs()
    const { total, spread } = await postAndReceive(http, sockets, roomId)
    if (count === weighed) {
      const taken = (processorMs() - quiet) / (rounds * count)
      report.add(`a delivery to ${count} sockets, processor time`, taken, 'ms', floor, budget('a delivery'))
    }
    report.add(`post to ${count} sockets p50`, total.p50, 'ms', raw.p50)
    report.add(`post to ${count} sockets p99`, total.p99, 'ms', raw.p99)
    if (count > 1) report.add(`from the first to the last of ${count} sockets p50`, spread.p50, 'ms', raw.p50)
  }
}

async function postAndReceive(http: HttpCaller, sockets: Sockets, roomId: string) {
  const total: number[] = []
  const spread: number[] = []
  for (let round = 0; round < rounds; round++) {
    const received = sockets.expectEvent(({ event }) => event.case === 'messagePosted' && event.value.roomId === roomId)
    const start = performance.now()
    const [{ first, last }] = await Promise.all([
      received,
      http.call(MessageService.method.createMessage, { roomId, body }),
    ])
    if (round < warmUp) continue
    total.push(last - start)
    spread.push(last - first)
  }
  const seconds = total.reduce((sum, ms) => sum + ms, 0) / 1000
  return { total: summary(total, seconds), spread: summary(spread, seconds) }
}

const exampleFrame = (roomId: string) => ({
  frame: {
    case: 'event' as const,
    value: {
      id: 'E0123456789abcd',
      actorId: 'U0123456789abcd',
      position: '1a2b.3c4d',
      event: { case: 'messagePosted' as const, value: { roomId, messageEventId: 'E0123456789abcd' } },
    },
  },
})

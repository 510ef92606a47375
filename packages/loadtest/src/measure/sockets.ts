import { create, toBinary } from '@bufbuild/protobuf'
import { MessageService } from '@parley/contracts/api'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import type { Fleet } from '@parley/local'
import { readBudgets } from '../cost/budgets.ts'
import type { CallFloors } from '../floors/call-floors.ts'
import { publishFloor } from '../floors/floors.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { residentKib } from '../load/memory.ts'
import { childrenMs as processorMs } from '../load/processor-time.ts'
import { newRoom } from '../load/rooms.ts'
import { Sockets } from '../load/sockets.ts'
import { summary } from '../load/timing.ts'
import type { Report } from '../report.ts'
import { body } from './posting.ts'

/** Number of posts, and how many of the first ones are warm-up. */
const [rounds, warmUp] = [110, 10]

/**
 * Measures the time from a post until every socket of its room has received it, for one socket and for a thousand; the
 * cost of a delivery and of opening a socket, as processor time of the whole fleet; and the memory of an idle socket.
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
  const frame = toBinary(RealtimeServerFrameSchema, create(RealtimeServerFrameSchema, exampleFrame(roomId)))
  using sockets = new Sockets()

  for (const count of [1, 1000]) {
    const opened = count - sockets.size
    const before = processorMs()
    await sockets.open(node.url, http.token, opened)
    if (count > 1) {
      const taken = (processorMs() - before) / opened
      report.add('opening a socket, processor time', taken, 'ms', floor, budget('opening a socket'))
    }
    const raw = await publishFloor(count, frame)
    report.add(`raw publish to ${count} sockets p50`, raw.p50, 'ms')
    const quiet = processorMs()
    const { total, spread } = await postAndReceive(http, sockets, roomId)
    if (count > 1) {
      const taken = (processorMs() - quiet) / (rounds * count)
      report.add(`a delivery to ${count} sockets, processor time`, taken, 'ms', floor, budget('a delivery'))
    }
    report.add(`post to ${count} sockets p50`, total.p50, 'ms', raw.p50)
    report.add(`post to ${count} sockets p99`, total.p99, 'ms', raw.p99)
    if (count > 1) report.add(`from the first to the last of ${count} sockets p50`, spread.p50, 'ms', raw.p50)
  }
  const [before, idle] = [residentKib(node.pid), 3_000]
  await sockets.open(node.url, http.token, idle)
  report.add('RSS per idle socket', (residentKib(node.pid) - before) / idle, 'KiB')
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

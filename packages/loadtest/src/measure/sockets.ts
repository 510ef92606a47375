import { setTimeout as sleep } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import type { Fleet } from '@parley/local'
import { readBudgets } from '../cost/budgets.ts'
import type { CallFloors } from '../floors/call-floors.ts'
import { publishFloor } from '../floors/floors.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { measureCpu, type CpuTime } from '../load/processor-time.ts'
import { newRoom } from '../load/rooms.ts'
import { Sockets } from '../load/sockets.ts'
import type { Timing } from '../load/timing.ts'
import type { Report } from '../report.ts'
import { postInTurn, postSteadily, steadyPosts } from './deliveries.ts'
import { measureReconnecting } from './reconnecting.ts'

/** The number of sockets for which the CPU time is measured, and which are opened through the gateway too. */
const weighed = 1000
/** The number of sockets that receive posts at a fixed rate. */
const steadySockets = 500

type Setting = { fleet: Fleet; http: HttpCaller; roomId: string; report: Report }

/** The cost of sockets: of opening one, of a delivery to one, and the times of posts. */
type SocketCosts = { opening: CpuTime; delivery: CpuTime; total: Timing }

/**
 * Measures idle sockets and their return after all were dropped; the time from a post until every socket of its room
 * has received it, for up to 2,000; and the CPU time that opening a socket and a delivery cost the whole fleet. Sockets
 * connect directly to realtime; at last, some are opened through the gateway. `http` needs a connection for each post in
 * flight.
 */
export async function measureSockets(
  fleet: Fleet,
  http: HttpCaller,
  floors: CallFloors,
  report: Report,
): Promise<void> {
  const budgets = readBudgets()
  const floor = floors.select[1].cpu.ms
  const compared = (name: string) => ({ floor, budget: (budgets.get(name) ?? Number.NaN) * floor })
  const roomId = await newRoom(http, 'bench-sockets')
  const node = fleet.services.find(({ name }) => name === 'realtime')
  if (!node?.url) throw new Error('the realtime node reported no address')
  const setting = { fleet, http, roomId, report }
  // First, because memory that earlier sockets left allocated would hide the memory of these.
  await measureReconnecting(fleet, { roomId, ...compared('opening a socket') }, report)
  const frame = toBinary(RealtimeServerFrameSchema, create(RealtimeServerFrameSchema, exampleFrame(roomId)))
  let direct: SocketCosts | undefined
  {
    using sockets = new Sockets()
    for (const count of [1, 100, steadySockets, weighed, 2000]) {
      const opened = count - sockets.size
      const openingCpu = measureCpu(fleet.services)
      await sockets.open(node.url, http.token, opened)
      const opening = openingCpu(opened)
      const raw = await publishFloor(count, frame)
      report.add(`raw publish to ${count} sockets p50`, raw.p50, 'ms')
      if (count === steadySockets) {
        await measureSteadyPosts(setting, sockets, { raw, floor })
        continue
      }
      const { total, spread, delivery } = await measurePosts(setting, sockets)
      if (count === weighed) {
        direct = { opening, delivery, total }
        report.addCpu('opening a socket, processor time', opening, compared('opening a socket'))
        report.addCpu(`a delivery to ${count} sockets, processor time`, delivery, compared('a delivery'))
      }
      report.add(`post to ${count} sockets p50`, total.p50, 'ms', raw.p50)
      report.add(`post to ${count} sockets p99`, total.p99, 'ms', raw.p99)
      if (count > 1) report.add(`from the first to the last of ${count} sockets p50`, spread.p50, 'ms', raw.p50)
    }
  }
  if (direct) await measureGatewaySockets(setting, node, direct)
}

async function measurePosts({ fleet, http, roomId }: Setting, sockets: Sockets) {
  const cpu = measureCpu(fleet.services)
  const { posts, total, spread } = await postInTurn(http, sockets, roomId)
  return { total, spread, delivery: cpu(posts * sockets.size) }
}

/** Measures posts at a fixed rate, beside a raw publish to as many sockets. */
async function measureSteadyPosts(
  { fleet, http, roomId, report }: Setting,
  sockets: Sockets,
  { raw, floor }: { raw: Timing; floor: number },
): Promise<void> {
  const cpu = measureCpu(fleet.services)
  const { posts, total } = await postSteadily(http, sockets, roomId)
  const delivery = cpu(posts * sockets.size)
  const name = `${steadyPosts.perSecond} posts/s to ${sockets.size} sockets`
  report.add(`${name} p50`, total.p50, 'ms', raw.p50)
  report.add(`${name} p99`, total.p99, 'ms', raw.p99)
  report.addCpu(`a delivery at ${name}, processor time`, delivery, { floor })
}

/** Measures sockets that the gateway forwards to realtime, beside those connected directly. */
async function measureGatewaySockets(
  setting: Setting,
  node: { internalPort: number },
  direct: SocketCosts,
): Promise<void> {
  const { fleet, http, report } = setting
  await allClosed(node)
  using sockets = new Sockets()
  const openingCpu = measureCpu(fleet.services)
  await sockets.open(fleet.url, http.token, weighed)
  const opening = openingCpu(weighed)
  const { total, delivery } = await measurePosts(setting, sockets)
  const name = `${weighed} sockets through the gateway`
  report.addCpu('opening a socket through the gateway, processor time', opening, { floor: direct.opening.ms })
  report.addCpu(`a delivery to ${name}, processor time`, delivery, { floor: direct.delivery.ms })
  report.add(`post to ${name} p50`, total.p50, 'ms', direct.total.p50)
  report.add(`post to ${name} p99`, total.p99, 'ms', direct.total.p99)
}

/** Resolves when a node has no open socket, so that closing them does not count as a cost of opening others. */
async function allClosed({ internalPort }: { internalPort: number }): Promise<void> {
  for (const giveUpAt = Date.now() + 10_000; Date.now() < giveUpAt; await sleep(20)) {
    const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text()
    if (/^parley_realtime_sockets(\{.*\})? 0$/m.test(metrics)) return
  }
  throw new Error('the sockets were not closed')
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

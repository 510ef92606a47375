import { setTimeout as sleep } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import type { Fleet } from '@parley/local'
import { readBudgets } from '../cost/budgets.ts'
import type { CallFloors } from '../floors/call-floors.ts'
import { measurePublishFloor } from '../floors/floors.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { measureCpu, type CpuTime } from '../load/cpu-time.ts'
import { createRoom } from '../load/rooms.ts'
import { Sockets } from '../load/sockets.ts'
import type { Timing } from '../load/timing.ts'
import type { Report } from '../report.ts'
import { postInTurn, postSteadily, steadyPosts } from './deliveries.ts'
import { measureReconnecting } from './reconnecting.ts'

const referenceSockets = 1000
const steadySockets = 500

type Node = { url: string; internalPort: number }
type Context = { fleet: Fleet; node: Node; http: HttpCaller; roomId: string; report: Report }

type SocketCosts = { opening: CpuTime; delivery: CpuTime; total: Timing }

/**
 * The last sockets are opened through the gateway, the others directly at realtime. `http` needs 16 connections,
 * because posts at a fixed rate do not wait for each other.
 */
export async function measureSockets(
  fleet: Fleet,
  http: HttpCaller,
  floors: CallFloors,
  report: Report,
): Promise<void> {
  const budgets = readBudgets()
  const floor = floors.select[1].cpu.ms
  const compare = (name: string) => ({ floor, budget: (budgets.get(name) ?? Number.NaN) * floor })
  const roomId = await createRoom(http, 'bench-sockets')
  const { url, internalPort } = fleet.services.find(({ name }) => name === 'realtime') ?? {}
  if (!url || !internalPort) throw new Error('the realtime node reported no URL')
  const context = { fleet, node: { url, internalPort }, http, roomId, report }
  // First: later sockets reuse memory of earlier ones, so they would seem to need less.
  await measureReconnecting(fleet, { roomId, ...compare('opening a socket') }, report)
  const frame = toBinary(RealtimeServerFrameSchema, create(RealtimeServerFrameSchema, exampleFrame(roomId)))
  const direct = await measureDirectSockets(context, frame, compare)
  await measureSteadyPosts(context, frame, floor)
  await measureGatewaySockets(context, direct)
}

async function measureDirectSockets(
  context: Context,
  frame: Uint8Array,
  compare: (name: string) => { floor: number; budget: number },
): Promise<SocketCosts> {
  const { fleet, node, http, report } = context
  using sockets = new Sockets()
  let direct: SocketCosts | undefined
  for (const count of [1, 100, referenceSockets, 2000]) {
    const opened = count - sockets.size
    const openingCpuPer = measureCpu(fleet.services)
    await sockets.open(node.url, http.token, opened)
    const opening = openingCpuPer(opened)
    const raw = await measurePublishFloor(count, frame)
    report.add(`raw publish to ${count} sockets p50`, raw.p50, 'ms')
    const { total, spread, delivery } = await measurePosts(context, sockets)
    if (count === referenceSockets) {
      direct = { opening, delivery, total }
      report.addCpu('opening a socket, processor time', opening, compare('opening a socket'))
      report.addCpu(`a delivery to ${count} sockets, processor time`, delivery, compare('a delivery'))
    }
    report.add(`post to ${count} sockets p50`, total.p50, 'ms', raw.p50)
    report.add(`post to ${count} sockets p99`, total.p99, 'ms', raw.p99)
    if (count > 1) report.add(`from the first to the last of ${count} sockets p50`, spread.p50, 'ms', raw.p50)
  }
  if (!direct) throw new Error('nothing was measured')
  return direct
}

async function measurePosts({ fleet, http, roomId }: Context, sockets: Sockets) {
  const cpuPer = measureCpu(fleet.services)
  const { posts, total, spread } = await postInTurn(http, sockets, roomId)
  return { total, spread, delivery: cpuPer(posts * sockets.size) }
}

/** The floor is a raw publish to as many sockets. */
async function measureSteadyPosts(context: Context, frame: Uint8Array, floor: number): Promise<void> {
  const { fleet, node, http, roomId, report } = context
  await waitUntilClosed(node)
  using sockets = new Sockets()
  await sockets.open(node.url, http.token, steadySockets)
  const raw = await measurePublishFloor(steadySockets, frame)
  const cpuPer = measureCpu(fleet.services)
  const { posts, total } = await postSteadily(http, sockets, roomId)
  const delivery = cpuPer(posts * steadySockets)
  const name = `${steadyPosts.perSecond} posts/s to ${steadySockets} sockets`
  report.add(`raw publish to ${steadySockets} sockets p50`, raw.p50, 'ms')
  report.add(`${name} p50`, total.p50, 'ms', raw.p50)
  report.add(`${name} p99`, total.p99, 'ms', raw.p99)
  report.addCpu(`a delivery at ${name}, processor time`, delivery, { floor })
}

/** The floors are the costs of direct connections. */
async function measureGatewaySockets(context: Context, direct: SocketCosts): Promise<void> {
  const { fleet, node, http, report } = context
  await waitUntilClosed(node)
  using sockets = new Sockets()
  const openingCpuPer = measureCpu(fleet.services)
  await sockets.open(fleet.url, http.token, referenceSockets)
  const opening = openingCpuPer(referenceSockets)
  const { total, delivery } = await measurePosts(context, sockets)
  const name = `${referenceSockets} sockets through the gateway`
  report.addCpu('opening a socket through the gateway, processor time', opening, { floor: direct.opening.ms })
  report.addCpu(`a delivery to ${name}, processor time`, delivery, { floor: direct.delivery.ms })
  report.add(`post to ${name} p50`, total.p50, 'ms', direct.total.p50)
  report.add(`post to ${name} p99`, total.p99, 'ms', direct.total.p99)
}

/** Closing sockets must not count as a cost of later ones. */
async function waitUntilClosed({ internalPort }: Node): Promise<void> {
  for (const giveUpAt = Date.now() + 10_000; Date.now() < giveUpAt; await sleep(20)) {
    const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text()
    if (/^parley_realtime_sockets(\{.*\})? 0$/m.test(metrics)) return
  }
  throw new Error('realtime still counts open sockets after ten seconds')
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

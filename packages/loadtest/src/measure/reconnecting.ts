import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { RealtimeClientFrameSchema, RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import type { Fleet } from '@parley/local'
import { startProgram } from '../load/child.ts'
import { LeanSocket } from '../load/lean-socket.ts'
import { residentKib } from '../load/memory.ts'
import { measureCpu, type CpuTime } from '../load/cpu-time.ts'
import { createSignedInMembers } from '../load/signed-in-members.ts'
import type { Report } from '../report.ts'

const count = 2_000
const rounds = 5
const maxKib = 8
/** Budget for the time until all sockets have resumed. */
const maxMs = 1_000

type ClientFrame = NonNullable<MessageInitShape<typeof RealtimeClientFrameSchema>['frame']>
const clientFrame = (frame: ClientFrame): Uint8Array =>
  toBinary(RealtimeClientFrameSchema, create(RealtimeClientFrameSchema, { frame }))

const subscribedTag = (RealtimeServerFrameSchema.field.subscribed.number << 3) | 2

/** `tookMs`: until all sockets were back. CPU time: `servers` of the fleet per socket, `clientsMs` of all clients. */
type Reconnection = { tookMs: number; servers: CpuTime; clientsMs: number }

/**
 * Measures the memory of idle sockets of 2,000 users. Then drops all of them at once, and measures the time until all
 * have resumed; its floor is a bare uWebSockets server that answers as many frames. The CPU time of the fleet per
 * socket is compared with `floor` and `budget`, in milliseconds.
 */
export async function measureReconnecting(
  fleet: Fleet,
  { roomId, floor, budget }: { roomId: string; floor: number; budget: number },
  report: Report,
): Promise<void> {
  const node = fleet.services.find(({ name }) => name === 'realtime')
  if (!node?.url) throw new Error('the realtime node reported no URL')
  const tokens = await createSignedInMembers(fleet, roomId, count)
  const hellos = tokens.map((bearerToken) => clientFrame({ case: 'hello', value: { protocolVersion: 1, bearerToken } }))
  const first = clientFrame({ case: 'subscribeEvents', value: {} })
  const url = new URL('/api/realtime', node.url)
  const before = residentKib(node.pid)
  const opened = await openInBatches(url, hellos, first)
  report.add('RSS per idle socket', (residentKib(node.pid) - before) / count, 'KiB', undefined, maxKib)

  const floors = await measureFloor(fleet, hellos, first)
  const subscribe = clientFrame({ case: 'subscribeEvents', value: { resumePosition: opened.position } })
  const real = await repeatDrop(opened.sockets, (sockets) =>
    dropAndReconnect(fleet, sockets, url, { hellos, subscribe }),
  )
  report.add(`${count} sockets dropped and back`, real.tookMs, 'ms', floors.tookMs, maxMs)
  const each = 'a socket dropped and back'
  report.addCpu(`${each}, processor time`, real.servers, { floor, budget })
  report.add(`${each}, processor time of its client`, real.clientsMs / count, 'ms', floors.clientsMs / count)
}

async function measureFloor(fleet: Fleet, hellos: readonly Uint8Array[], subscribe: Uint8Array): Promise<Reconnection> {
  const answer = create(RealtimeServerFrameSchema, { frame: { case: 'subscribed', value: { position: 'a.b' } } })
  const encoded = Buffer.from(toBinary(RealtimeServerFrameSchema, answer))
  using helloServer = await startProgram('hello-server', [encoded.toString('base64')])
  const url = new URL(`http://127.0.0.1:${String(helloServer.ready)}/`)
  const { sockets: opened } = await openAll(url, hellos, subscribe)
  return await repeatDrop(opened, (sockets) => dropAndReconnect(fleet, sockets, url, { hellos, subscribe }))
}

async function repeatDrop(
  opened: LeanSocket[],
  drop: (sockets: LeanSocket[]) => Promise<Reconnection & { sockets: LeanSocket[] }>,
): Promise<Reconnection> {
  const reconnections: Reconnection[] = []
  let sockets = opened
  for (let round = 0; round < rounds; round++) {
    const done = await drop(sockets)
    ;({ sockets } = done)
    reconnections.push(done)
  }
  for (const socket of sockets) socket.drop()
  const sorted = reconnections.toSorted((a, b) => a.tookMs - b.tookMs)
  const middle = sorted[rounds >> 1]
  if (!middle) throw new Error('nothing was measured')
  return middle
}

async function dropAndReconnect(
  fleet: Fleet,
  sockets: readonly LeanSocket[],
  url: URL,
  { hellos, subscribe }: { hellos: readonly Uint8Array[]; subscribe: Uint8Array },
): Promise<Reconnection & { sockets: LeanSocket[] }> {
  const fleetCpuPer = measureCpu(fleet.services)
  const before = process.cpuUsage()
  const start = performance.now()
  for (const socket of sockets) socket.drop()
  const opened = await openAll(url, hellos, subscribe)
  const tookMs = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  return { tookMs, sockets: opened.sockets, servers: fleetCpuPer(count), clientsMs: (user + system) / 1000 }
}

/** Opens a hundred sockets at a time, because a node limits how many unknown credentials wait. */
async function openInBatches(url: URL, hellos: readonly Uint8Array[], subscribe: Uint8Array) {
  const sockets: LeanSocket[] = []
  let position = ''
  for (let at = 0; at < hellos.length; at += 100) {
    const opened = await openAll(url, hellos.slice(at, at + 100), subscribe)
    sockets.push(...opened.sockets)
    ;({ position } = opened)
  }
  return { sockets, position }
}

/** Opens all sockets at once. Resolves when all are subscribed, with the position of the last socket. */
function openAll(
  url: URL,
  hellos: readonly Uint8Array[],
  subscribe: Uint8Array,
): Promise<{ sockets: LeanSocket[]; position: string }> {
  return new Promise((resolve, reject) => {
    let left = hellos.length
    const sockets = hellos.map((hello) => {
      let isSubscribed = false
      return new LeanSocket(url, [hello, subscribe], {
        onMessage: (message) => {
          if (isSubscribed) return
          if (message[0] !== subscribedTag) return rejectOnError(message, reject)
          isSubscribed = true
          if (--left === 0) resolve({ sockets, position: positionIn(message) })
        },
        onEnd: reject,
      })
    })
  })
}

function rejectOnError(message: Uint8Array, reject: (error: Error) => void): void {
  const { frame } = fromBinary(RealtimeServerFrameSchema, message)
  if (frame.case === 'error' || frame.case === 'close') reject(new Error(`${frame.value.code}: ${frame.value.message}`))
}

function positionIn(message: Uint8Array): string {
  const { frame } = fromBinary(RealtimeServerFrameSchema, message)
  return frame.case === 'subscribed' ? frame.value.position : ''
}

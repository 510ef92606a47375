import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { RealtimeClientFrameSchema, RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import type { Fleet } from '@parley/local'
import { startProgram } from '../load/child.ts'
import { LeanSocket } from '../load/lean-socket.ts'
import { residentKib } from '../load/memory.ts'
import { measureCpu, type CpuTime } from '../load/processor-time.ts'
import { signedInMembers } from '../load/signed-in.ts'
import type { Report } from '../report.ts'

const count = 2_000
/** Measured drops; the median is reported. */
const rounds = 5
/** Most memory of an idle socket. */
const idleKib = 8
/** Most milliseconds until all are back. */
const maxMs = 1_000

type ClientFrame = NonNullable<MessageInitShape<typeof RealtimeClientFrameSchema>['frame']>
const clientFrame = (frame: ClientFrame): Uint8Array =>
  toBinary(RealtimeClientFrameSchema, create(RealtimeClientFrameSchema, { frame }))

/** The first byte of a `subscribed` frame: the number and the type of its only field. */
const subscribedTag = (RealtimeServerFrameSchema.field.subscribed.number << 3) | 2

/** How one drop went: milliseconds until all were back, CPU time of the servers per socket, and of all clients. */
type Return = { tookMs: number; servers: CpuTime; clientsMs: number }

/**
 * Drops the sockets of 2,000 people at once and measures the time until all of them have resumed, beside a bare
 * uWebSockets server that answers as many frames; and the memory of the sockets, which belong to as many people.
 */
export async function measureReconnecting(
  fleet: Fleet,
  { roomId, floor, budget }: { roomId: string; floor: number; budget: number },
  report: Report,
): Promise<void> {
  const node = fleet.services.find(({ name }) => name === 'realtime')
  if (!node?.url) throw new Error('the realtime node reported no address')
  const tokens = await signedInMembers(fleet, roomId, count)
  const hellos = tokens.map((bearerToken) => clientFrame({ case: 'hello', value: { protocolVersion: 1, bearerToken } }))
  const first = clientFrame({ case: 'subscribeEvents', value: {} })
  const url = new URL('/api/realtime', node.url)
  const before = residentKib(node.pid)
  const opened = await openInTurns(url, hellos, first)
  report.add('RSS per idle socket', (residentKib(node.pid) - before) / count, 'KiB', undefined, idleKib)

  const bare = await measureFloor(fleet, hellos, first)
  const subscribe = clientFrame({ case: 'subscribeEvents', value: { resumePosition: opened.position } })
  const real = await median(opened.sockets, (sockets) => dropAndReturn(fleet, sockets, url, { hellos, subscribe }))
  report.add(`${count} sockets dropped and back`, real.tookMs, 'ms', bare.tookMs, maxMs)
  const each = 'a socket dropped and back'
  report.addCpu(`${each}, processor time`, real.servers, { floor, budget })
  report.add(`${each}, processor time of its client`, real.clientsMs / count, 'ms', bare.clientsMs / count)
}

/** The same with a bare uWebSockets server. */
async function measureFloor(fleet: Fleet, hellos: readonly Uint8Array[], subscribe: Uint8Array): Promise<Return> {
  const answer = create(RealtimeServerFrameSchema, { frame: { case: 'subscribed', value: { position: 'a.b' } } })
  const encoded = Buffer.from(toBinary(RealtimeServerFrameSchema, answer))
  using greeter = await startProgram('greeter', [encoded.toString('base64')])
  const url = new URL(`http://127.0.0.1:${String(greeter.ready)}/`)
  const { sockets: opened } = await openAll(url, hellos, subscribe)
  return await median(opened, (sockets) => dropAndReturn(fleet, sockets, url, { hellos, subscribe }))
}

/** Repeats the drop; each gets the sockets that the one before opened. */
async function median(
  opened: LeanSocket[],
  drop: (sockets: LeanSocket[]) => Promise<Return & { sockets: LeanSocket[] }>,
): Promise<Return> {
  const returns: Return[] = []
  let sockets = opened
  for (let round = 0; round < rounds; round++) {
    const done = await drop(sockets)
    ;({ sockets } = done)
    returns.push(done)
  }
  for (const socket of sockets) socket.drop()
  const sorted = returns.toSorted((a, b) => a.tookMs - b.tookMs)
  const middle = sorted[rounds >> 1]
  if (!middle) throw new Error('nothing was measured')
  return middle
}

async function dropAndReturn(
  fleet: Fleet,
  sockets: readonly LeanSocket[],
  url: URL,
  { hellos, subscribe }: { hellos: readonly Uint8Array[]; subscribe: Uint8Array },
): Promise<Return & { sockets: LeanSocket[] }> {
  const serversCpu = measureCpu(fleet.services)
  const before = process.cpuUsage()
  const start = performance.now()
  for (const socket of sockets) socket.drop()
  const opened = await openAll(url, hellos, subscribe)
  const tookMs = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  return { tookMs, sockets: opened.sockets, servers: serversCpu(count), clientsMs: (user + system) / 1000 }
}

/** The same, a hundred at a time: credentials that the node does not know yet may wait only in limited number. */
async function openInTurns(url: URL, hellos: readonly Uint8Array[], subscribe: Uint8Array) {
  const sockets: LeanSocket[] = []
  let position = ''
  for (let at = 0; at < hellos.length; at += 100) {
    const opened = await openAll(url, hellos.slice(at, at + 100), subscribe)
    sockets.push(...opened.sockets)
    ;({ position } = opened)
  }
  return { sockets, position }
}

/** Opens a socket for each hello, all at once; resolves when every one is subscribed, with the position of the last. */
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
          if (message[0] !== subscribedTag) return rejectError(message, reject)
          isSubscribed = true
          if (--left === 0) resolve({ sockets, position: positionIn(message) })
        },
        onEnd: reject,
      })
    })
  })
}

function rejectError(message: Uint8Array, reject: (error: Error) => void): void {
  const { frame } = fromBinary(RealtimeServerFrameSchema, message)
  if (frame.case === 'error' || frame.case === 'close') reject(new Error(`${frame.value.code}: ${frame.value.message}`))
}

function positionIn(message: Uint8Array): string {
  const { frame } = fromBinary(RealtimeServerFrameSchema, message)
  return frame.case === 'subscribed' ? frame.value.position : ''
}

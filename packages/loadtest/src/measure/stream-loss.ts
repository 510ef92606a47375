import { readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AdminDiagnosticsService, AdminUserService } from '@parley/contracts/admin'
import { MessageService, RoomService } from '@parley/contracts/api'
import { dataDirAt, startFleet, type FleetOptions } from '@parley/local'
import { HttpCaller } from '../load/http-caller.ts'
import { createRoom } from '../load/rooms.ts'
import { Sockets } from '../load/sockets.ts'
import type { Report } from '../report.ts'

const losses = 5
const postedBefore = 500
const guest = { login: 'bench-guest', password: 'a password for the guest' }

/**
 * Deletes the stream and restarts the bus, repeatedly. Measures the time from when the bus accepts connections again
 * until a user can leave a room, and until a new socket receives a new message. Each deployable runs in two
 * processes.
 */
export async function measureStreamLoss(
  options: FleetOptions,
  owner: { login: string; password: string },
  report: Report,
): Promise<void> {
  await using fleet = await startFleet({ ...options, replicas: 2 })
  using http = new HttpCaller(fleet.url, 4)
  using leaver = new HttpCaller(fleet.url)
  await http.signIn(owner)
  await http.call(AdminUserService.method.createUser, guest)
  await leaver.signIn(guest)
  const rooms = await Promise.all(Array.from({ length: losses + 1 }, (_, n) => createRoom(http, `bench-loss-${n}`)))
  const [postRoomId = '', ...roomsToLeave] = rooms
  for (const roomId of roomsToLeave) await leaver.call(RoomService.method.joinRoom, { roomId })
  const bytesBefore = await streamBytes(http)
  for (let n = 0; n < postedBefore; n++) await post(http, postRoomId)
  report.add('bytes on the stream per message', ((await streamBytes(http)) - bytesBefore) / postedBefore, 'B')
  const nodeUrl = fleet.services.find(({ name }) => name === 'realtime')?.url
  if (!nodeUrl) throw new Error('the realtime node reported no URL')

  const dir = dataDirAt(options.dataDir)
  const untilLeft: number[] = []
  const untilReceived: number[] = []
  for (const roomId of roomsToLeave) {
    const backAt = await loseStream(dir)
    const leave = () => leaver.call(RoomService.method.leaveRoom, { roomId })
    const receive = () => postAndReceive(nodeUrl, http, postRoomId)
    const [leftAt, receivedAt] = await Promise.all([retry(leave), retry(receive)])
    untilLeft.push(leftAt - backAt)
    untilReceived.push(receivedAt - backAt)
  }
  const worst = (times: number[]) => Math.max(...times) / 1000
  report.add(`stream lost ${losses} times: until LeaveRoom succeeds, worst (target: 5 s)`, worst(untilLeft), 's')
  report.add(
    `stream lost ${losses} times: until a socket receives events, worst (target: 10 s)`,
    worst(untilReceived),
    's',
  )
}

/**
 * Freezes the bus, deletes its store and kills the bus. Resolves with the time at which the restarted bus accepts
 * connections.
 */
async function loseStream({ nats, run, portsFile }: ReturnType<typeof dataDirAt>): Promise<number> {
  const { pid } = JSON.parse(readFileSync(join(run, 'nats.pid'), 'utf8')) as { pid: number }
  const ports = JSON.parse(readFileSync(portsFile, 'utf8')) as { nats: number }
  // A frozen server writes nothing, and the supervisor does not replace it before it is dead.
  process.kill(pid, 'SIGSTOP')
  rmSync(join(nats, 'store'), { recursive: true })
  process.kill(pid, 'SIGKILL')
  while (await acceptsConnections(ports.nats)) await sleep(5)
  return await retry(async () => {
    if (!(await acceptsConnections(ports.nats))) throw new Error('the bus accepts no connections')
  })
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (open: boolean): void => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

/** Repeats `work` for at most two minutes. Resolves with the time of the success. */
async function retry(work: () => Promise<unknown>): Promise<number> {
  const giveUpAt = performance.now() + 120_000
  for (;;) {
    try {
      await work()
      return performance.now()
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      await sleep(50)
    }
  }
}

async function postAndReceive(url: string, http: HttpCaller, roomId: string): Promise<void> {
  using sockets = new Sockets()
  await sockets.open(url, http.token, 1)
  const received = sockets.expectEvent(({ event }) => event.case === 'messagePosted' && event.value.roomId === roomId)
  await post(http, roomId)
  const late = sleep(1000).then(() => Promise.reject(new Error('no event was received within a second')))
  await Promise.race([received, late])
}

async function streamBytes(http: HttpCaller): Promise<number> {
  const { systemInfo } = await http.call(AdminDiagnosticsService.method.getSystemInfo, {})
  return Number(systemInfo?.nats?.totalBytes ?? 0)
}

const post = (http: HttpCaller, roomId: string) =>
  http.call(MessageService.method.createMessage, { roomId, body: 'before and after a loss' })

import { readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AdminDiagnosticsService, AdminUserService } from '@parley/contracts/admin'
import { MessageService, RoomService } from '@parley/contracts/api'
import { dataDirAt, startFleet, type FleetOptions } from '@parley/local'
import { HttpCaller } from '../load/http-caller.ts'
import { newRoom } from '../load/rooms.ts'
import { Sockets } from '../load/sockets.ts'
import type { Report } from '../report.ts'

const losses = 5
const postedBefore = 500
const guest = { login: 'bench-guest', password: 'a password for the guest' }

/**
 * Repeatedly loses the whole stream. Measures how long after the bus is back with an empty store somebody can leave a
 * room, and an open socket receives a new message. Runs two processes of each service, which may notice the loss at the
 * same time.
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
  const rooms = await Promise.all(Array.from({ length: losses + 1 }, (_, n) => newRoom(http, `bench-loss-${n}`)))
  const [talk = '', ...left] = rooms
  for (const roomId of left) await leaver.call(RoomService.method.joinRoom, { roomId })
  const bytesBefore = await streamBytes(http)
  for (let n = 0; n < postedBefore; n++) await post(http, talk)
  report.add('bytes on the stream per message', ((await streamBytes(http)) - bytesBefore) / postedBefore, 'B')
  const node = fleet.services.find(({ name }) => name === 'realtime')
  if (!node?.url) throw new Error('the realtime node reported no address')

  const dir = dataDirAt(options.dataDir)
  const revokes: number[] = []
  const events: number[] = []
  for (const roomId of left) {
    const backAt = await loseStream(dir)
    const leave = () => leaver.call(RoomService.method.leaveRoom, { roomId })
    const receive = () => postAndReceive(node.url ?? '', http, talk)
    const [leftAt, receivedAt] = await Promise.all([whenDone(leave), whenDone(receive)])
    revokes.push(leftAt - backAt)
    events.push(receivedAt - backAt)
  }
  const worst = (times: number[]) => Math.max(...times) / 1000
  report.add(`stream lost ${losses} times: until LeaveRoom answers, worst (target: 5 s)`, worst(revokes), 's')
  report.add(`stream lost ${losses} times: until sockets hear, worst (target: 10 s)`, worst(events), 's')
}

/** Freezes the bus, takes its store away, kills it; resolves with the time at which it takes connections again. */
async function loseStream({ nats, run, portsFile }: ReturnType<typeof dataDirAt>): Promise<number> {
  const { pid } = JSON.parse(readFileSync(join(run, 'nats.pid'), 'utf8')) as { pid: number }
  const ports = JSON.parse(readFileSync(portsFile, 'utf8')) as { nats: number }
  // A frozen server writes nothing, and no other is started in its place before the store is deleted.
  process.kill(pid, 'SIGSTOP')
  rmSync(join(nats, 'store'), { recursive: true })
  process.kill(pid, 'SIGKILL')
  while (await isOpen(ports.nats)) await sleep(5)
  return await whenDone(async () => {
    if (!(await isOpen(ports.nats))) throw new Error('the bus does not answer')
  })
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (open: boolean): void => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

/** Retries until it succeeds; returns the time of the success. */
async function whenDone(work: () => Promise<unknown>): Promise<number> {
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
  const late = sleep(1000).then(() => Promise.reject(new Error('nothing was received')))
  await Promise.race([received, late])
}

async function streamBytes(http: HttpCaller): Promise<number> {
  const { systemInfo } = await http.call(AdminDiagnosticsService.method.getSystemInfo, {})
  return Number(systemInfo?.nats?.totalBytes ?? 0)
}

const post = (http: HttpCaller, roomId: string) =>
  http.call(MessageService.method.createMessage, { roomId, body: 'before and after a loss' })

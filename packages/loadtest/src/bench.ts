import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageService, RoomService } from '@parley/contracts/api'
import { startFleet, type Fleet, type FleetOptions } from '@parley/local'
import { fleetOptions, owner } from './fleet-options.ts'
import { measureCallFloors, type CallFloors } from './floors/call-floors.ts'
import { measureCommitFloors, measureNatsFloors } from './floors/floors.ts'
import { HttpCaller } from './load/http-caller.ts'
import { residentKib } from './load/memory.ts'
import { createRoom } from './load/rooms.ts'
import { time } from './load/timing.ts'
import { measureCosts } from './measure/costs.ts'
import { measureDirectory } from './measure/directory.ts'
import { measureFiles } from './measure/files.ts'
import { measureHeavyReaders } from './measure/heavy-readers.ts'
import { measureLongRoom } from './measure/long-room.ts'
import { measureNotifications } from './measure/notifications.ts'
import { body, measurePosting, type PostFloors } from './measure/posting.ts'
import { measureOneRoom } from './measure/one-room.ts'
import { measurePushes } from './measure/pushes.ts'
import { measureRest } from './measure/rest.ts'
import { measureRestart } from './measure/restart.ts'
import { measureSockets } from './measure/sockets.ts'
import { measureStreamLoss } from './measure/stream-loss.ts'
import { measureThumbnails } from './measure/thumbnails.ts'
import { Report } from './report.ts'

const help = `make bench: measures a fleet on this machine, and floors to compare it with, in less than ten minutes

Prints figures, one per line, and a table of what calls cost. A floor is the cost of the same thing without Parley, measured in
the same run. A budget is the maximum of a figure, in the same unit.

ARGS=--check           exits with 1 if a figure exceeds its budget by more than a third
ARGS=--full            measures everything, in about half an hour (the same as make bench-full)
BENCH_OUT=file         also writes all figures as JSON: [{name, value, unit, floor, ratio, budget, processes}]
BENCH_ONLY=a,b         measures only these: rest, costs, calls, sockets, restart, room, readers, files, images, size, loss
BENCH_CALLS=a,b        limits the measurement costs to calls whose names contain a or b
PARLEY_LAYOUT=compact  measures a fleet of two processes instead of nine`

const defaultMeasurements = ['rest', 'costs', 'calls', 'sockets', 'restart']
const measurements = [...defaultMeasurements, 'room', 'readers', 'files', 'images', 'size', 'loss']

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(help)
  const selected = selectMeasurements()
  const dir = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  // If this process runs as root, PostgreSQL runs as another user, which must be able to enter the directory.
  chmodSync(dir, 0o755)
  const report = new Report()
  const options = fleetOptions(join(dir, 'data'))
  try {
    if (measurements.some((name) => name !== 'loss' && name !== 'restart' && selected.has(name)))
      await measureFleet(options, selected, report)
    if (selected.has('restart')) await measureRestart(options, report)
    if (selected.has('loss')) await measureStreamLoss({ ...options, dataDir: join(dir, 'lossy') }, owner, report)
    report.write(process.env['BENCH_OUT'])
    if (process.argv.includes('--check')) check(report)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function check(report: Report): void {
  for (const { name, value, unit, budget } of report.overBudget()) {
    console.error(`${name} exceeds its budget of ${budget} ${unit}: ${value} ${unit}`)
    process.exitCode = 1
  }
}

async function measureFleet(options: FleetOptions, selected: ReadonlySet<string>, report: Report): Promise<void> {
  console.error('starting a fleet')
  await using fleet = await startFleet(options)
  for (const { name, pid } of fleet.services) report.add(`RSS of ${name}, started`, residentKib(pid) / 1024, 'MiB')
  // These floors do not use the fleet, so they can be measured while it becomes idle.
  const startedAt = performance.now()
  const roundTripMs = selected.has('calls') ? await measureBus(join(options.dataDir, 'floor-nats'), report) : Number.NaN
  // Before the calls, because a fleet that was used has follow-up work for a while.
  if (selected.has('rest')) await measureRest(fleet, startedAt, report)
  const needsFloors = selected.has('costs') || selected.has('sockets')
  const floors = needsFloors ? await measureCallFloors(fleet, join(options.dataDir, 'call-floors')) : undefined
  if (selected.has('costs') && floors) await measureCallCosts(fleet, floors, report)
  if (selected.has('calls')) await measureCalls(fleet, report, await measureCommits(fleet, report, roundTripMs))
  if (selected.has('room')) await measureRoom(fleet, report)
  if (selected.has('readers')) await measureReaders(fleet, report)
  if (selected.has('sockets') && floors) await measureOpenSockets(fleet, floors, report)
  // Before the images, because the memory that they leave allocated in uploads would hide the memory for a file.
  if (selected.has('files')) await measureLargeFile(fleet, report)
  if (selected.has('images')) await measureImages(fleet, report)
  if (selected.has('size')) await measureSize(fleet, report)
  for (const { name, pid } of fleet.services)
    report.add(`RSS of ${name}, after the load`, residentKib(pid) / 1024, 'MiB')
}

function selectMeasurements(): Set<string> {
  const isFull = process.argv.includes('--full')
  const selected = process.env['BENCH_ONLY']?.split(',') ?? (isFull ? measurements : defaultMeasurements)
  const unknown = selected.filter((name) => !measurements.includes(name))
  if (unknown.length > 0)
    throw new Error(`BENCH_ONLY: unknown measurements ${unknown.join(', ')}; choose from ${measurements.join(', ')}`)
  return new Set(selected)
}

async function measureBus(dir: string, report: Report): Promise<number> {
  const nats = await measureNatsFloors(dir)
  report.add('raw NATS round trip p50', nats.raw.p50, 'ms')
  report.add('RPC over NATS p50', nats.rpc.p50, 'ms', nats.raw.p50)
  report.add('RPC over NATS p99', nats.rpc.p99, 'ms', nats.raw.p99)
  report.add('raw NATS request-reply, 64 in flight', nats.raw64.perSecond, '1/s')
  report.add('RPC over NATS, 64 in flight', nats.rpc64.perSecond, '1/s', nats.raw64.perSecond)
  return nats.raw.p50
}

async function measureCommits(fleet: Fleet, report: Report, roundTripMs: number): Promise<PostFloors> {
  const commits = await measureCommitFloors(fleet.postgresUrl('postgres'))
  report.add('raw single-row commit p50', commits.one.p50, 'ms')
  report.add('raw single-row commits, 32 writers', commits.many.perSecond, '1/s')
  return {
    postMs: commits.one.p50 + 2 * roundTripMs,
    oneWriterPerSecond: commits.one.perSecond,
    commitsPerSecond: commits.many.perSecond,
  }
}

async function measureCalls(fleet: Fleet, report: Report, floors: PostFloors): Promise<void> {
  using http = new HttpCaller(fleet.url, 64)
  await http.signIn(owner)
  const rooms = await Promise.all(Array.from({ length: 32 }, (_, i) => createRoom(http, `bench-${i}`)))
  const node = fleet.services.find(({ name }) => name === 'realtime')
  if (!node) throw new Error('the fleet has no realtime node')
  await measurePosting(http, rooms, report, floors, node.pid)
  let turn = 0
  const read = () =>
    http.call(RoomService.method.getRoomEvents, { roomId: rooms[turn++ % rooms.length] ?? '', limit: 50 })
  const page = await time(read, { seconds: 3 })
  report.add('GetRoomEvents (50 rows) p50', page.p50, 'ms')
  report.add('GetRoomEvents (50 rows) p99', page.p99, 'ms')
  const pages = await time(read, { inFlight: 32, seconds: 3 })
  report.add('GetRoomEvents (50 rows), 32 in flight', pages.perSecond, '1/s')
}

async function measureCallCosts(fleet: Fleet, floors: CallFloors, report: Report): Promise<void> {
  using http = new HttpCaller(fleet.url, 64)
  await http.signIn(owner)
  await measureCosts(fleet, http, { owner, floors }, report)
}

async function measureOpenSockets(fleet: Fleet, floors: CallFloors, report: Report): Promise<void> {
  using http = new HttpCaller(fleet.url, 16)
  await http.signIn(owner)
  await measureSockets(fleet, http, floors, report)
}

async function measureRoom(fleet: Fleet, report: Report): Promise<void> {
  using http = new HttpCaller(fleet.url, 1_000)
  await http.signIn(owner)
  await measureOneRoom(fleet, http, report)
}

async function measureImages(fleet: Fleet, report: Report): Promise<void> {
  using http = new HttpCaller(fleet.url, 8)
  await http.signIn(owner)
  await measureThumbnails(http, await createRoom(http, 'bench-images'), report)
}

async function measureLargeFile(fleet: Fleet, report: Report): Promise<void> {
  using http = new HttpCaller(fleet.url)
  await http.signIn(owner)
  await measureFiles(fleet, http, report)
}

/** Comes last, because so many rooms and rows slow everything else down. */
async function measureSize(fleet: Fleet, report: Report): Promise<void> {
  using http = new HttpCaller(fleet.url, 16)
  await http.signIn(owner)
  const ordinary = await createRoom(http, 'bench-ordinary')
  for (let n = 0; n < 60; n++) await http.call(MessageService.method.createMessage, { roomId: ordinary, body })
  await measureLongRoom(fleet, http, ordinary, report)
  await measureDirectory(fleet, http, report)
  await measurePushes(fleet, http, report)
  await measureNotifications(fleet, http, report)
}

async function measureReaders(fleet: Fleet, report: Report): Promise<void> {
  using writer = new HttpCaller(fleet.url)
  using reader = new HttpCaller(fleet.url, 6)
  await writer.signIn(owner)
  await reader.signIn(owner)
  await measureHeavyReaders({ writer, reader }, report)
}

await main()

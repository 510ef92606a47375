import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageService, RoomService } from '@parley/contracts/api'
import { startFleet, type Fleet, type FleetOptions } from '@parley/local'
import { fleetOptions, owner } from './fleet-options.ts'
import { callFloors, type CallFloors } from './floors/call-floors.ts'
import { commitFloors, natsFloors } from './floors/floors.ts'
import { HttpCaller } from './load/http-caller.ts'
import { residentKib } from './load/memory.ts'
import { newRoom } from './load/rooms.ts'
import { time } from './load/timing.ts'
import { measureCosts } from './measure/costs.ts'
import { measureDirectory } from './measure/directory.ts'
import { measureFiles } from './measure/files.ts'
import { measureHeavyReaders } from './measure/heavy-readers.ts'
import { measureLongRoom } from './measure/long-room.ts'
import { measureNotifications } from './measure/notifications.ts'
import { body, measurePosting, type Floors } from './measure/posting.ts'
import { measureOneRoom } from './measure/one-room.ts'
import { measurePushes } from './measure/pushes.ts'
import { measureRest } from './measure/rest.ts'
import { measureRestart } from './measure/restart.ts'
import { measureSockets } from './measure/sockets.ts'
import { measureStreamLoss } from './measure/stream-loss.ts'
import { measureThumbnails } from './measure/thumbnails.ts'
import { Report } from './report.ts'

const help = `make bench: measures a fleet on this machine and the floors below it, in one run of ten minutes at most

Prints a line per figure and a table of what calls cost; with BENCH_OUT=file also writes all as JSON:
[{name, value, unit, floor, ratio, budget, processes}]. A floor is the raw cost of the same thing without Parley, measured in the same
run; a budget, in the unit of the value, is what docs/performance.md allows.
--check            ends with 1 when a figure is more than a third above its budget
--full             measures everything, half an hour (make bench-full)
BENCH_ONLY=a,b     measures these alone: rest, costs, calls, sockets, restart, room, readers, files, images, size, loss
BENCH_CALLS=a,b    of the costs only those of calls whose names hold one of these
PARLEY_LAYOUT=compact measures two processes instead of nine`

/** By default only the first five are measured. */
const measures = [
  ...(['rest', 'costs', 'calls', 'sockets', 'restart'] as const),
  ...(['room', 'readers', 'files', 'images', 'size', 'loss'] as const),
]
const usual = 5

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(help)
  const wanted = wantedMeasures()
  const dir = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  // PostgreSQL runs as another user when this is root: it must be able to enter.
  chmodSync(dir, 0o755)
  const report = new Report()
  const options = fleetOptions(join(dir, 'data'))
  try {
    if (measures.some((name) => name !== 'loss' && name !== 'restart' && wanted.has(name)))
      await measureFleet(options, wanted, report)
    if (wanted.has('restart')) await measureRestart(options, report)
    if (wanted.has('loss')) await measureStreamLoss({ ...options, dataDir: join(dir, 'lossy') }, owner, report)
    report.write(process.env['BENCH_OUT'])
    if (process.argv.includes('--check')) check(report)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function check(report: Report): void {
  for (const { name, value, unit, budget } of report.exceeded()) {
    console.error(`${name} exceeds its budget: ${value} ${unit} instead of at most ${budget} ${unit}`)
    process.exitCode = 1
  }
}

async function measureFleet(options: FleetOptions, wanted: ReadonlySet<string>, report: Report): Promise<void> {
  console.error('starting a fleet')
  await using fleet = await startFleet(options)
  for (const { name, pid } of fleet.services) report.add(`RSS of ${name}, started`, residentKib(pid) / 1024, 'MiB')
  // These floors do not use the fleet, so they can be measured while it becomes idle.
  const startedAt = performance.now()
  const roundTripMs = wanted.has('calls') ? await measureBus(join(options.dataDir, 'floor-nats'), report) : Number.NaN
  // Before the calls, because a fleet that was used has follow-up work for a while.
  if (wanted.has('rest')) await measureRest(fleet, startedAt, report)
  const floors = () => callFloors(fleet, join(options.dataDir, 'call-floors'))
  const known = wanted.has('costs') || wanted.has('sockets') ? await floors() : undefined
  if (wanted.has('costs') && known) await measureOwnersCosts(fleet, known, report)
  if (wanted.has('calls')) await measureCalls(fleet, report, await measureCommits(fleet, report, roundTripMs))
  if (wanted.has('room')) await measureRoom(fleet, report)
  if (wanted.has('readers')) await measureReaders(fleet, report)
  if (wanted.has('sockets') && known) await measureOwnersSockets(fleet, known, report)
  // Before the images: the memory that they leave allocated in uploads would hide the memory for a file.
  if (wanted.has('files')) await measureLargeFile(fleet, report)
  if (wanted.has('images')) await measureImages(fleet, report)
  if (wanted.has('size')) await measureSize(fleet, report)
  for (const { name, pid } of fleet.services)
    report.add(`RSS of ${name}, after the load`, residentKib(pid) / 1024, 'MiB')
}

/** The selected measurements. */
function wantedMeasures(): Set<string> {
  const all = process.argv.includes('--full')
  const only = process.env['BENCH_ONLY']?.split(',') ?? (all ? measures : measures.slice(0, usual))
  const unknown = only.filter((name) => !measures.some((one) => one === name))
  if (unknown.length > 0)
    throw new Error(`BENCH_ONLY: unknown measures ${unknown.join(', ')}; choose from ${measures.join(', ')}`)
  return new Set(only)
}

/** Returns the milliseconds of a raw round trip. */
async function measureBus(dir: string, report: Report): Promise<number> {
  const nats = await natsFloors(dir)
  report.add('raw NATS round trip p50', nats.raw.p50, 'ms')
  report.add('RPC over NATS p50', nats.rpc.p50, 'ms', nats.raw.p50)
  report.add('RPC over NATS p99', nats.rpc.p99, 'ms', nats.raw.p99)
  report.add('raw NATS request-reply, 64 in flight', nats.raw64.perSecond, '1/s')
  report.add('RPC over NATS, 64 in flight', nats.rpc64.perSecond, '1/s', nats.raw64.perSecond)
  return nats.raw.p50
}

async function measureCommits(fleet: Fleet, report: Report, roundTripMs: number): Promise<Floors> {
  const commits = await commitFloors(fleet.postgresUrl('postgres'))
  report.add('raw single-row commit p50', commits.one.p50, 'ms')
  report.add('raw single-row commits, 32 writers', commits.many.perSecond, '1/s')
  return {
    postMs: commits.one.p50 + 2 * roundTripMs,
    oneWriterPerSecond: commits.one.perSecond,
    commitsPerSecond: commits.many.perSecond,
  }
}

async function measureCalls(fleet: Fleet, report: Report, floors: Floors): Promise<void> {
  using http = new HttpCaller(fleet.url, 64)
  await http.signIn(owner)
  const rooms = await Promise.all(Array.from({ length: 32 }, (_, i) => newRoom(http, `bench-${i}`)))
  const node = fleet.services.find(({ name }) => name === 'realtime')
  if (!node) throw new Error('there is no realtime node')
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

async function measureOwnersCosts(fleet: Fleet, floors: CallFloors, report: Report): Promise<void> {
  using http = new HttpCaller(fleet.url, 64)
  await http.signIn(owner)
  await measureCosts(fleet, http, { owner, floors }, report)
}

async function measureOwnersSockets(fleet: Fleet, floors: CallFloors, report: Report): Promise<void> {
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
  await measureThumbnails(http, await newRoom(http, 'bench-images'), report)
}

async function measureLargeFile(fleet: Fleet, report: Report): Promise<void> {
  using http = new HttpCaller(fleet.url)
  await http.signIn(owner)
  await measureFiles(fleet, http, report)
}

/** The cost of a large server. Measured last, because so many rooms and rows slow everything else down. */
async function measureSize(fleet: Fleet, report: Report): Promise<void> {
  using http = new HttpCaller(fleet.url, 16)
  await http.signIn(owner)
  const ordinary = await newRoom(http, 'bench-ordinary')
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

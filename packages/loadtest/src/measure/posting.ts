import { MessageService } from '@parley/contracts/api'
import type { HttpCaller } from '../load/http-caller.ts'
import { listProcesses, sumTree } from '../load/cpu-time.ts'
import { createRoom } from '../load/rooms.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

export const body = 'A message of ordinary length, as people write them all day long.'

/**
 * `postMs`: one commit and two NATS round trips. `oneWriterPerSecond` and `commitsPerSecond`: commits by one writer
 * and by 32.
 */
export type PostFloors = { postMs: number; oneWriterPerSecond: number; commitsPerSecond: number }

/**
 * `http` needs a connection for each of 64 writers. `node` is the process id of a realtime node without sockets; its
 * CPU time is counted too, because every node reads every event.
 */
export async function measurePosting(
  http: HttpCaller,
  rooms: readonly string[],
  report: Report,
  floors: PostFloors,
  node: number,
): Promise<void> {
  let turn = 0
  const spread = () => post(http, rooms[turn++ % rooms.length] ?? '')
  // A long warm-up, because processes that have just started still compile their code.
  const one = await time(spread, { seconds: 6, warmUpSeconds: 5 })
  report.add('CreateMessage p50', one.p50, 'ms', floors.postMs)
  report.add('CreateMessage p99', one.p99, 'ms', floors.postMs)
  for (const inFlight of [8, 64]) {
    const seconds = inFlight === 64 ? 6 : 4
    await time(spread, { inFlight, seconds: 2, warmUpSeconds: 0 })
    const before = readCpuMs(node)
    const many = await time(spread, { inFlight, seconds, warmUpSeconds: 0 })
    report.add(`a post in a node without sockets, ${inFlight} in flight`, (readCpuMs(node) - before) / many.count, 'ms')
    report.add(`CreateMessage over 32 rooms, ${inFlight} in flight`, many.perSecond, '1/s', floors.commitsPerSecond)
    report.add(`CreateMessage over 32 rooms, ${inFlight} in flight p99`, many.p99, 'ms')
  }
  const hotRoom = await createRoom(http, 'bench-hot')
  const hot = () => post(http, hotRoom)
  for (const inFlight of [1, 8, 64]) {
    const many = await time(hot, { inFlight, seconds: 3 })
    // Posts into one room are committed one after the other, so the floor is the rate of one writer.
    report.add(`CreateMessage into one room, ${inFlight} in flight`, many.perSecond, '1/s', floors.oneWriterPerSecond)
    report.add(`CreateMessage into one room, ${inFlight} in flight p99`, many.p99, 'ms')
  }
}

const readCpuMs = (pid: number): number => 1000 * sumTree(listProcesses(), pid).seconds

const post = (http: HttpCaller, roomId: string) => http.call(MessageService.method.createMessage, { roomId, body })

import { MessageService } from '@parley/contracts/api'
import type { HttpCaller } from '../load/http-caller.ts'
import { seeProcesses, sumOfTree } from '../load/processor-time.ts'
import { newRoom } from '../load/rooms.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

/** Text of the messages that are posted. */
export const body = 'A message of ordinary length, as people write them all day long.'

/** The cost of a commit on this machine, and of a commit with the round trips of a post. */
export type Floors = { postMs: number; oneWriterPerSecond: number; commitsPerSecond: number }

/**
 * Posts by one, 8 and 64 writers, over many rooms and into a single one. Needs a connection for each writer. `node` is
 * the process of a realtime node without sockets: every node reads every event, regardless of its sockets.
 */
export async function measurePosting(
  http: HttpCaller,
  rooms: readonly string[],
  report: Report,
  floors: Floors,
  node: number,
): Promise<void> {
  let turn = 0
  const spread = () => post(http, rooms[turn++ % rooms.length] ?? '')
  // A process that has just started still compiles its code; users normally meet a process that has finished that.
  const one = await time(spread, { seconds: 6, warmUpSeconds: 5 })
  report.add('CreateMessage p50', one.p50, 'ms', floors.postMs)
  report.add('CreateMessage p99', one.p99, 'ms', floors.postMs)
  for (const inFlight of [8, 64]) {
    const seconds = inFlight === 64 ? 6 : 4
    await time(spread, { inFlight, seconds: 2, warmUpSeconds: 0 })
    const before = processorMs(node)
    const many = await time(spread, { inFlight, seconds, warmUpSeconds: 0 })
    report.add(
      `a post in a node without sockets, ${inFlight} in flight`,
      (processorMs(node) - before) / many.count,
      'ms',
    )
    report.add(`CreateMessage over 32 rooms, ${inFlight} in flight`, many.perSecond, '1/s', floors.commitsPerSecond)
    report.add(`CreateMessage over 32 rooms, ${inFlight} in flight p99`, many.p99, 'ms')
  }
  const hotRoom = await newRoom(http, 'bench-hot')
  const hot = () => post(http, hotRoom)
  for (const inFlight of [1, 8, 64]) {
    const many = await time(hot, { inFlight, warmUpSeconds: 1 })
    // Posts of one room are committed one after the other; this measures that rate.
    report.add(`CreateMessage into one room, ${inFlight} in flight`, many.perSecond, '1/s', floors.oneWriterPerSecond)
    report.add(`CreateMessage into one room, ${inFlight} in flight p99`, many.p99, 'ms')
  }
}

const processorMs = (pid: number): number => 1000 * sumOfTree(seeProcesses(), pid).seconds

const post = (http: HttpCaller, roomId: string) => http.call(MessageService.method.createMessage, { roomId, body })

import { MessageService, RoomService } from '@parley/contracts/api'
import type { HttpCaller } from '../load/http-caller.ts'
import { newRoom } from '../load/rooms.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

const readersAtOnce = 6
const { createMessage } = MessageService.method
const { getRoomEvents } = RoomService.method

/** Measures posts while others continuously read the longest possible pages, and while nobody does. */
export async function measureHeavyReaders(
  { writer, reader }: { writer: HttpCaller; reader: HttpCaller },
  report: Report,
): Promise<void> {
  const [quiet, full] = [await newRoom(writer, 'bench-quiet'), await newRoom(writer, 'bench-full')]
  const longest = 'A message as long as messages may be. '.repeat(263)
  for (let n = 0; n < 510; n++) await writer.call(createMessage, { roomId: full, body: longest })
  const post = () => writer.call(createMessage, { roomId: quiet, body: 'in between' })
  const alone = await time(post)
  const stop = new AbortController()
  const read = async (): Promise<void> => {
    while (!stop.signal.aborted) await reader.call(getRoomEvents, { roomId: full, limit: 500 })
  }
  const reading = Array.from({ length: readersAtOnce }, read)
  const beside = await time(post)
  stop.abort()
  await Promise.all(reading)
  report.add(`CreateMessage beside ${readersAtOnce} readers of the longest pages p50`, beside.p50, 'ms', alone.p50)
  report.add(`CreateMessage beside ${readersAtOnce} readers of the longest pages p99`, beside.p99, 'ms', alone.p99)
}

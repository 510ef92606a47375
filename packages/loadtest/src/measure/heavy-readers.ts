import { MessageService, RoomService } from '@parley/contracts/api'
import type { HttpCaller } from '../load/http-caller.ts'
import { createRoom } from '../load/rooms.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

const readers = 6
const { createMessage } = MessageService.method
const { getRoomEvents } = RoomService.method

/** The floor is posts without readers. `reader` makes the calls of all readers, and needs a connection for each. */
export async function measureHeavyReaders(
  { writer, reader }: { writer: HttpCaller; reader: HttpCaller },
  report: Report,
): Promise<void> {
  const [quiet, full] = [await createRoom(writer, 'bench-quiet'), await createRoom(writer, 'bench-full')]
  const longest = 'A message as long as messages may be. '.repeat(263)
  for (let n = 0; n < 510; n++) await writer.call(createMessage, { roomId: full, body: longest })
  const post = () => writer.call(createMessage, { roomId: quiet, body: 'meanwhile' })
  const alone = await time(post)
  const stop = new AbortController()
  const read = async (): Promise<void> => {
    while (!stop.signal.aborted) await reader.call(getRoomEvents, { roomId: full, limit: 500 })
  }
  const reading = Array.from({ length: readers }, read)
  const withReaders = await time(post)
  stop.abort()
  await Promise.all(reading)
  report.add(`CreateMessage with ${readers} readers of the longest pages p50`, withReaders.p50, 'ms', alone.p50)
  report.add(`CreateMessage with ${readers} readers of the longest pages p99`, withReaders.p99, 'ms', alone.p99)
}

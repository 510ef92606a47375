import { RoomService, ThreadService, ViewerService } from '@parley/contracts/api'
import type { Fleet } from '@parley/local'
import type { HttpCaller } from '../load/http-caller.ts'
import { writeMessages, longRoomSize, messageId, rootId } from '../load/long-room.ts'
import { createRoom } from '../load/rooms.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

const limit = 50
const { getRoomEvents, getRoomEventsAround } = RoomService.method
const { getThreadEvents } = ThreadService.method

export async function measureLongRoom(
  fleet: Fleet,
  http: HttpCaller,
  ordinaryRoom: string,
  report: Report,
): Promise<void> {
  const roomId = await createRoom(http, 'bench-long')
  const { user } = await http.call(ViewerService.method.getViewer, {})
  console.error(`writing ${longRoomSize.messages} messages`)
  await writeMessages(fleet, roomId, user?.profile?.id ?? '')

  const ordinary = await time(() => http.call(getRoomEvents, { roomId: ordinaryRoom, limit }), { seconds: 2 })
  const add = async (name: string, read: () => Promise<unknown>) => {
    const { p50 } = await time(read, { seconds: 2 })
    report.add(`${name} of 1,000,000 messages p50`, p50, 'ms', ordinary.p50)
  }
  const thread = { roomId, threadRootEventId: rootId, limit }
  // A message that is no reply and not near the beginning or the end of the log.
  const somewhere = () => messageId(Math.floor(Math.random() * (longRoomSize.messages / 10 - 200) + 100) * 10 + 1)
  const [cursors, replyCursors] = [
    await cursorsOf(
      async () => (await http.call(getRoomEventsAround, { roomId, eventId: somewhere(), limit: 1 })).page,
    ),
    await threadCursors(http, thread),
  ]
  const before = (from: string[]) => {
    const value = from[Math.floor(Math.random() * from.length)] ?? ''
    return { cursor: { case: 'before' as const, value } }
  }
  await add('latest page', () => http.call(getRoomEvents, { roomId, limit }))
  await add('deep page', () => http.call(getRoomEvents, { roomId, limit, ...before(cursors) }))
  await add('page around a message', () => http.call(getRoomEventsAround, { roomId, eventId: somewhere(), limit }))
  await add('latest thread page', () => http.call(getThreadEvents, thread))
  await add('deep thread page', () => http.call(getThreadEvents, { ...thread, ...before(replyCursors) }))
}

async function cursorsOf(page: () => Promise<{ startCursor: string } | undefined>): Promise<string[]> {
  const cursors = []
  for (let n = 0; n < 50; n++) cursors.push((await page())?.startCursor ?? '')
  return cursors
}

/** Cursors of random replies, not near either end of the thread. */
function threadCursors(http: HttpCaller, thread: { roomId: string; threadRootEventId: string }): Promise<string[]> {
  const reply = () => messageId(Math.floor(Math.random() * (longRoomSize.replies - 200) + 100) * 10)
  const { getThreadEventsAround } = ThreadService.method
  return cursorsOf(async () => (await http.call(getThreadEventsAround, { ...thread, eventId: reply(), limit: 1 })).page)
}

import { RoomDirectoryService, RoomService } from '@parley/contracts/api'
import type { Fleet } from '@parley/local'
import { crowdSize, createCrowd } from '../load/crowd.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { findGroupId, createRoom } from '../load/rooms.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

const { listMembers } = RoomService.method
const { listRooms } = RoomDirectoryService.method

export async function measureDirectory(fleet: Fleet, http: HttpCaller, report: Report): Promise<void> {
  console.error('creating rooms until there are 1,000')
  const [groupId, { rooms }] = [await findGroupId(http), await http.call(listRooms, {})]
  const missing = Array.from({ length: 1000 - rooms.length }, (_, n) => `bench-many-${n}`)
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let name = missing.pop(); name !== undefined; name = missing.pop()) await createRoom(http, name, groupId)
    }),
  )
  const list = await time(() => http.call(listRooms, {}), { seconds: 3 })
  report.add('ListRooms with 1,000 rooms p50', list.p50, 'ms')
  report.add('ListRooms with 1,000 rooms p99', list.p99, 'ms')

  console.error(`creating ${crowdSize} accounts`)
  const roomId = await createRoom(http, 'bench-crowd')
  await createCrowd(fleet, roomId)
  const search = (text: string) => http.call(listMembers, { roomId, search: text, page: { limit: 50 } })
  const one = await time(() => search(`user${Math.floor(Math.random() * 90_000) + 10_000}`), { seconds: 3 })
  report.add('member search that finds 1 of 100,000 p50', one.p50, 'ms')
  report.add('member search that finds 1 of 100,000 p99', one.p99, 'ms')
  const many = await time(() => search('user7'), { seconds: 3 })
  report.add('member search that finds 11,111 of 100,000 (50 rows) p50', many.p50, 'ms')
}

import { fromBinary, toBinary, type DescMethodUnary } from '@bufbuild/protobuf'
import { RoomDirectoryService, RoomService, ViewerService } from '@parley/contracts/api'
import type { Fleet } from '@parley/local'
import { crowdSize, createCrowd } from '../load/crowd.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { findGroupId, createRoom } from '../load/rooms.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

const { listMembers } = RoomService.method
const { listRooms, listRoomGroups } = RoomDirectoryService.method
const { getViewer } = ViewerService.method

/** Of the time until the client has decoded the response, in milliseconds. */
const budgets = new Map<DescMethodUnary, number>([[listRooms, 15]])

export async function measureDirectory(fleet: Fleet, http: HttpCaller, report: Report): Promise<void> {
  console.error('creating rooms until there are 1,000')
  const [groupId, { rooms }] = [await findGroupId(http), await http.call(listRooms, {})]
  const missing = Array.from({ length: 1000 - rooms.length }, (_, n) => `bench-many-${n}`)
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let name = missing.pop(); name !== undefined; name = missing.pop()) await createRoom(http, name, groupId)
    }),
  )
  for (const method of [listRooms, listRoomGroups, getViewer]) {
    const { p50, p99 } = await time(() => http.call<DescMethodUnary>(method, {}), { seconds: 3 })
    report.add(`${method.name} with 1,000 rooms p50`, p50, 'ms', undefined, budgets.get(method))
    report.add(`${method.name} with 1,000 rooms p99`, p99, 'ms')
  }

  const answer = toBinary(listRooms.output, await http.call(listRooms, {}))
  const decoding = await time(async () => fromBinary(listRooms.output, answer), { seconds: 1 })
  report.add('decoding a response of ListRooms with 1,000 rooms p50', decoding.p50, 'ms')

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

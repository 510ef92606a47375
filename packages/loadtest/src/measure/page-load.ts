import type { MeasuredCall } from '../cost/calls.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

/** As many as a browser opens to one host over HTTP/1.1. */
const connections = 6
const maxMs = 60

/** The calls by which a client without a store of its own opens a room, 41 in all. */
const numbersOfCalls = new Map([
  ['GetRuntimeConfig', 1],
  ['GetServer', 2],
  ['GetMotd', 1],
  ['GetViewer', 10],
  ['RoleService.ListRoles', 1],
  ['ListRooms (35 rooms)', 2],
  ['RoomDirectoryService.ListRoomGroups', 2],
  ['GetRoom', 3],
  ['GetRoomEvents (50 rows)', 3],
  ['GetThreadEvents', 1],
  ['RoomService.ListMembers', 2],
  ['BatchGetUsers', 2],
  ['ListFollowedThreads', 1],
  ['ListActiveCalls', 1],
  ['ListNotifications', 2],
  ['HasNotifications', 2],
  ['ListRoomNotificationCounts', 1],
  ['GetRoomNotificationPreference', 3],
  ['GetServerNotificationPreference', 1],
])

/** Measures the time from the first request of a page load to its last response. Throws if a call is missing. */
export async function measurePageLoad(calls: readonly MeasuredCall[], report: Report): Promise<void> {
  const requests = [...numbersOfCalls].flatMap(([name, count]) => {
    const call = calls.find((candidate) => candidate.name === name)
    if (!call) throw new Error(`there is no measured call named ${name}`)
    return Array.from({ length: count }, () => call.make)
  })
  const load = async (): Promise<void> => {
    const waiting = [...requests]
    const connection = async (): Promise<void> => {
      for (let make = waiting.pop(); make; make = waiting.pop()) await make()
    }
    await Promise.all(Array.from({ length: connections }, connection))
  }
  const took = await time(load, { seconds: 3 })
  report.add(`a page load of ${requests.length} calls p50`, took.p50, 'ms', undefined, maxMs)
}

import { RoomDirectoryService, RoomService } from '@parley/contracts/api'
import type { HttpCaller } from './http-caller.ts'

/** Returns the id of the group in which the benchmark creates its rooms. */
export async function findGroupId(http: HttpCaller): Promise<string> {
  const { groups } = await http.call(RoomDirectoryService.method.listRoomGroups, {})
  return groups[0]?.id ?? ''
}

/** Creates a channel, by default in the group of {@link findGroupId}; returns its id. */
export async function createRoom(http: HttpCaller, name: string, groupId?: string): Promise<string> {
  const request = { name, groupId: groupId ?? (await findGroupId(http)) }
  const { room } = await http.call(RoomService.method.createRoom, request)
  if (!room) throw new Error('CreateRoom returned no room')
  return room.id
}

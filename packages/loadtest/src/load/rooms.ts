import { RoomDirectoryService, RoomService } from '@parley/contracts/api'
import type { HttpCaller } from './http-caller.ts'

/** The group in which the benchmark creates its rooms. */
export async function firstGroup(http: HttpCaller): Promise<string> {
  const { groups } = await http.call(RoomDirectoryService.method.listRoomGroups, {})
  return groups[0]?.id ?? ''
}

/** Creates a channel as the caller; returns its id. */
export async function newRoom(http: HttpCaller, name: string, groupId?: string): Promise<string> {
  const request = { name, groupId: groupId ?? (await firstGroup(http)) }
  const { room } = await http.call(RoomService.method.createRoom, request)
  if (!room) throw new Error('the room was not made')
  return room.id
}

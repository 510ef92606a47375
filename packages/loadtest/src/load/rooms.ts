import { RoomDirectoryService, RoomService } from '@parley/contracts/api'
import type { HttpCaller } from './http-caller.ts'

export async function findGroupId(http: HttpCaller): Promise<string> {
  const { groups } = await http.call(RoomDirectoryService.method.listRoomGroups, {})
  return groups[0]?.id ?? ''
}

export async function createRoom(http: HttpCaller, name: string, groupId?: string): Promise<string> {
  const request = { name, groupId: groupId ?? (await findGroupId(http)) }
  const { room } = await http.call(RoomService.method.createRoom, request)
  if (!room) throw new Error('CreateRoom returned no room')
  return room.id
}

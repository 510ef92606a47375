import type { Client } from '@connectrpc/connect'
import type { Subject } from '@parley/permissions'
import type { ListLayoutResponse_Group, RoomHeader, RoomsInternalService } from '@parley/contracts/internal'
import { serviceUnavailable } from '../errors.ts'

type Rooms = Client<typeof RoomsInternalService>

const options = { timeoutMs: 3000 }
const idsPerCall = 500

const failUnavailable = (error: unknown): never => {
  throw serviceUnavailable('rooms', error)
}

export async function findRooms(rooms: Rooms, roomIds: readonly string[]): Promise<RoomHeader[]> {
  const answers = chunks(roomIds).map((ids) => rooms.getRooms({ roomIds: ids }, options))
  return (await Promise.all(answers).catch(failUnavailable)).flatMap((answer) => answer.rooms)
}

/** Undefined if the room does not exist, or is a direct message in which the user does not take part. */
export async function findRoomFor(
  rooms: Rooms,
  { userId, roleIds }: Subject,
  roomId: string,
): Promise<RoomHeader | undefined> {
  const { room } = await rooms.getRoomAccess({ userId, roleIds: [...roleIds], roomId }, options).catch(failUnavailable)
  return room
}

export async function findGroups(
  rooms: Rooms,
  groupIds: readonly string[],
): Promise<{ groupId: string; name: string }[]> {
  const answers = chunks(groupIds).map((ids) => rooms.getGroups({ groupIds: ids }, options))
  return (await Promise.all(answers).catch(failUnavailable)).flatMap((answer) => answer.groups)
}

/** Groups and channels in sidebar order, without archived ones. */
export async function listLayout(rooms: Rooms): Promise<ListLayoutResponse_Group[]> {
  return (await rooms.listLayout({}, options).catch(failUnavailable)).groups
}

function chunks(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / idsPerCall) }, (_, n) =>
    ids.slice(n * idsPerCall, (n + 1) * idsPerCall),
  )
}

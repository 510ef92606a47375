import { randomBytes } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { type CreateRoomRequestSchema, MessageService, RoomDirectoryService, RoomService } from '@parley/contracts/api'
import type { Person } from './people.ts'

export const roomName = (): string => `room-${randomBytes(6).toString('hex')}`

export async function lobbyId(person: Person, options: { base?: string } = {}): Promise<string> {
  const { groups } = await person.call(RoomDirectoryService.method.listRoomGroups, {}, options)
  const lobby = groups.find(({ name }) => name === 'Lobby')
  if (lobby === undefined) throw new Error('there is no group Lobby')
  return lobby.id
}

/** Without a group in `options`, the room is in the lobby. The creator and `members` join it. */
export async function newRoom(
  owner: Person,
  members: Person[] = [],
  options: Omit<MessageInitShape<typeof CreateRoomRequestSchema>, '$typeName'> = {},
): Promise<string> {
  const groupId = options.groupId ?? (await lobbyId(owner))
  const { room } = await owner.call(RoomService.method.createRoom, { name: roomName(), ...options, groupId })
  const roomId = room?.id ?? ''
  for (const member of members) await member.call(RoomService.method.joinRoom, { roomId })
  return roomId
}

export async function post(
  person: Person,
  roomId: string,
  body: string,
  options: { base?: string; headers?: Record<string, string> } = {},
): Promise<string> {
  const { message } = await person.call(MessageService.method.createMessage, { roomId, body }, options)
  return message?.id ?? ''
}

import { expect, test } from '@jest/globals'
import { mediaRoomName, readMediaRoomName } from './media-room.ts'

test.each([
  { room: { serverId: undefined, dm: false, roomId: 'R1', callId: 'C1' }, name: 'server_R1@C1' },
  { room: { serverId: undefined, dm: true, roomId: '0af3', callId: 'C1' }, name: 'DM_0af3@C1' },
  { room: { serverId: 'my_chat-1', dm: false, roomId: 'R1', callId: 'C1' }, name: 'my_chat-1.server_R1@C1' },
])('the name $name is encoded and decoded', ({ room, name }) => {
  expect(mediaRoomName(room)).toBe(name)
  expect(readMediaRoomName(name)).toEqual(room)
})

test.each(['', 'lobby', 'server_R1', 'server_@C1', 'a.b.server_R1@C1', 'server_R1@C1@C2', 'x_R1@C1'])(
  '%p is not the name of one of our media rooms',
  (name) => expect(readMediaRoomName(name)).toBeUndefined(),
)

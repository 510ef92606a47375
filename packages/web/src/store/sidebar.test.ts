import { expect, test } from '@jest/globals'
import { type NotificationItem, RoomKind, type RoomWithViewerState } from '@parley/client/contract'
import {
  activeRooms,
  emptySidebar,
  mayPostInChannel,
  partnerIn,
  pendingByRoom,
  withArchivedOf,
  withRooms,
} from './sidebar.ts'

test('pending notifications of all kinds are counted by room', () => {
  const item = (kind: string, id: string) => ({ kind: { case: kind, value: { room: { id } } } }) as NotificationItem
  const items = [item('mention', 'R1'), item('reply', 'R1'), item('directMessage', 'R2')]
  expect(pendingByRoom(items)).toEqual(
    new Map([
      ['R1', 2],
      ['R2', 1],
    ]),
  )
})

test.each([
  ['a conversation of two', RoomKind.DM, ['U1', 'U2'], 'U2'],
  ['notes to oneself', RoomKind.DM, ['U1'], undefined],
  ['a conversation of three', RoomKind.DM, ['U1', 'U2', 'U3'], undefined],
  ['a channel', RoomKind.CHANNEL, [], undefined],
])('only a direct message between two people has a partner: %s', (_, kind, ids, partner) => {
  const room = { room: { kind }, dmMembers: ids.map((id) => ({ id })) } as unknown as RoomWithViewerState
  expect(partnerIn(room, 'U1')).toBe(partner)
})

test('an archived room is not among the active rooms, even if it is known', () => {
  const rooms = [
    { room: { id: 'R1', archived: false } },
    { room: { id: 'R2', archived: true } },
  ] as unknown as RoomWithViewerState[]
  expect(activeRooms(withRooms(emptySidebar, rooms)).map(({ room }) => room?.id)).toEqual(['R1'])
})

test('of the rooms that a newer state lacks, only the archived ones are kept', () => {
  const room = (id: string, archived: boolean, name: string) => ({ room: { id, archived, name } })
  const older = [room('R1', false, 'old'), room('R2', true, 'old'), room('R3', false, 'old')]
  const newer = [room('R1', false, 'new')]
  const [before, after] = [older, newer].map((rooms) =>
    withRooms(emptySidebar, rooms as unknown as RoomWithViewerState[]),
  )
  const merged = withArchivedOf(after ?? emptySidebar, before ?? emptySidebar)
  expect([...merged.rooms.values()].map((one) => [one.room?.id, one.room?.name])).toEqual([
    ['R1', 'new'],
    ['R2', 'old'],
  ])
})

test.each([
  ['one to read only', RoomKind.CHANNEL, true, false, false],
  ['one that the viewer has not joined', RoomKind.CHANNEL, false, true, false],
  ['a direct message', RoomKind.DM, true, true, false],
  ['one to write in', RoomKind.CHANNEL, true, true, true],
])('whether there is a channel to write in, if the only room is %s', (_, kind, isMember, granted, expected) => {
  const permissions = [{ permission: 'message.post', granted }]
  const one = { room: { id: 'R1', kind, archived: false }, viewerState: { isMember, permissions } }
  const sidebar = { ...emptySidebar, rooms: new Map([['R1', one as unknown as RoomWithViewerState]]) }
  expect(mayPostInChannel(sidebar)).toBe(expected)
})

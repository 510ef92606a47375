import { expect, test } from '@jest/globals'
import { type NotificationItem, RoomKind, type RoomWithViewerState } from '@parley/client/contract'
import { activeRooms, emptySidebar, partnerIn, pendingByRoom, withRooms } from './sidebar.ts'

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

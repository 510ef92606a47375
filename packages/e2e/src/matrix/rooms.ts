import { AdminRoomLayoutItemKind, AdminRoomLayoutService } from '@parley/contracts/admin'
import { RoomService } from '@parley/contracts/api'
import { roomName } from '../rooms.ts'
import { and, channel, everyone, hall, type Name, universalChannel, without } from './users.ts'
import { row, type Row } from './rows.ts'
import { type Fixture, unique } from './fixture.ts'

const { createRoom, updateRoom, archiveRoom, unarchiveRoom, joinRoom, joinRoomGroup, leaveRoom, startDM } =
  RoomService.method
const { addMember, removeMember, banMember, unbanMember } = RoomService.method
const layout = AdminRoomLayoutService.method

const withNina = and(channel, 'nina')
const inChannel = (fixture: Fixture, about: Name) => ({ roomId: fixture.channel, userId: fixture.userId(about) })
const rename = (fixture: Fixture, roomId: string) => fixture.call('adam', updateRoom, { roomId, name: roomName() })
const setUniversal = (fixture: Fixture, universal: boolean) =>
  fixture.call('owner', updateRoom, { roomId: fixture.channel, universal })
const postAsBob = (fixture: Fixture, room: 'channel' | 'hall' = 'channel') =>
  fixture.post('bob', fixture[room], unique())

const postEvents = (who: Name[]): Row['receives'] => [
  ['messagePosted', who],
  ['roomMarkedAsRead', ['bob']],
]

export const membership: Row[] = [
  row('joining a channel', (fixture) => fixture.call('nina', joinRoom, { roomId: fixture.channel }), [
    'userJoinedRoom',
    withNina,
  ]),
  row('a message after a join', (fixture) => postAsBob(fixture), ...postEvents(withNina)),
  row('leaving a channel', (fixture) => fixture.call('nina', leaveRoom, { roomId: fixture.channel }), [
    'userLeftRoom',
    withNina,
  ]),
  row('a message after a leave', (fixture) => postAsBob(fixture), ...postEvents(channel)),
  row('adding a member', (fixture) => fixture.call('adam', addMember, inChannel(fixture, 'nina')), [
    'userJoinedRoom',
    withNina,
  ]),
  row('a message after a member was added', (fixture) => postAsBob(fixture), ...postEvents(withNina)),
  row('removing a member', (fixture) => fixture.call('adam', removeMember, inChannel(fixture, 'nina')), [
    'userLeftRoom',
    withNina,
  ]),
  row('a message after a removal', (fixture) => postAsBob(fixture), ...postEvents(channel)),
  row('joining a group', (fixture) => fixture.call('nina', joinRoomGroup, { groupId: fixture.groupId }), [
    'userJoinedRoom',
    withNina,
  ]),
  row(
    'banning a member',
    (fixture) => fixture.call('adam', banMember, { ...inChannel(fixture, 'nina'), reason: 'noise' }),
    ['userLeftRoom', withNina],
  ),
  row('a message after a ban', (fixture) => postAsBob(fixture), ...postEvents(channel)),
  row('lifting a ban', (fixture) =>
    fixture.call('adam', unbanMember, { ...inChannel(fixture, 'nina'), reason: 'quiet again' }),
  ),
  row(
    'banning from a universal room',
    (fixture) =>
      fixture.call('owner', banMember, { roomId: fixture.hall, userId: fixture.userId('rex'), reason: 'noise' }),
    ['userLeftRoom', hall],
  ),
  row(
    'a message after a ban from a universal room',
    (fixture) => postAsBob(fixture, 'hall'),
    ...postEvents(without(hall, 'rex')),
  ),
  row('lifting a ban from a universal room', (fixture) =>
    fixture.call('owner', unbanMember, { roomId: fixture.hall, userId: fixture.userId('rex'), reason: 'quiet again' }),
  ),
  row(
    'a message after the end of a ban from a universal room',
    (fixture) => postAsBob(fixture, 'hall'),
    ...postEvents(hall),
  ),
]

export const rooms: Row[] = [
  row(
    'renaming a channel',
    (fixture) => rename(fixture, fixture.channel),
    ['roomUpdated', channel],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'renaming a universal room',
    (fixture) => rename(fixture, fixture.hall),
    ['roomUpdated', hall],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'archiving a channel',
    (fixture) => fixture.call('adam', archiveRoom, { roomId: fixture.channel }),
    ['roomArchived', channel],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'unarchiving a channel',
    (fixture) => fixture.call('adam', unarchiveRoom, { roomId: fixture.channel }),
    ['roomUnarchived', channel],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'archiving a universal room',
    (fixture) => fixture.call('owner', archiveRoom, { roomId: fixture.hall }),
    ['roomArchived', hall],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'unarchiving a universal room',
    (fixture) => fixture.call('owner', unarchiveRoom, { roomId: fixture.hall }),
    ['roomUnarchived', hall],
    ['roomGroupsUpdated', everyone],
  ),
  row('making a channel universal', (fixture) => setUniversal(fixture, true), [
    'roomUniversalChanged',
    universalChannel,
  ]),
  row('a message while a channel is universal', (fixture) => postAsBob(fixture), ...postEvents(universalChannel)),
  row('making a channel no longer universal', (fixture) => setUniversal(fixture, false), [
    'roomUniversalChanged',
    universalChannel,
  ]),
  row('a message after a channel is no longer universal', (fixture) => postAsBob(fixture), ...postEvents(channel)),
  row(
    'a new channel whose creator is not a user of the matrix',
    (fixture) => fixture.call('owner', createRoom, { name: roomName(), groupId: fixture.groupId }),
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'a new channel whose creator is a user of the matrix',
    (fixture) => fixture.call('adam', createRoom, { name: roomName(), groupId: fixture.groupId }),
    ['roomCreated', ['adam']],
    ['userJoinedRoom', ['adam']],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'a new universal room',
    (fixture) => fixture.call('adam', createRoom, { name: roomName(), groupId: fixture.groupId, universal: true }),
    ['roomCreated', everyone],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'a new direct message',
    (fixture) => fixture.call('nina', startDM, { participantIds: [fixture.userId('leo')] }),
    ['roomCreated', ['nina', 'leo']],
    ['userJoinedRoom', ['nina', 'leo']],
    ['userJoinedRoom', ['nina', 'leo']],
  ),
]

const item = (kind: 'ROOM' | 'SIDEBAR_LINK', id: string) => ({ kind: AdminRoomLayoutItemKind[kind], id })

export const sidebar: Row[] = (
  [
    [
      'a new group',
      async (fixture) => {
        const { group } = await fixture.call('owner', layout.createRoomGroup, { name: unique() })
        fixture.remember('group', group?.id ?? '')
      },
    ],
    [
      'renaming a group',
      (fixture) => fixture.call('adam', layout.updateRoomGroup, { groupId: fixture.id('group'), name: unique() }),
    ],
    [
      'reordering groups',
      async (fixture) =>
        fixture.call('owner', layout.reorderRoomGroups, { orderedGroupIds: (await groupIds(fixture)).reverse() }),
    ],
    [
      'moving a room to another group',
      (fixture) =>
        fixture.call('owner', layout.moveRoomToGroup, { roomId: fixture.channel, groupId: fixture.id('group') }),
    ],
    [
      'a new link',
      async (fixture) => {
        const link = { groupId: fixture.id('group'), label: 'Wiki', url: 'https://example.org' }
        const { sidebarLink } = await fixture.call('owner', layout.createSidebarLink, link)
        fixture.remember('link', sidebarLink?.id ?? '')
      },
    ],
    [
      'reordering a group',
      (fixture) => {
        const items = [item('SIDEBAR_LINK', fixture.id('link')), item('ROOM', fixture.channel)]
        return fixture.call('owner', layout.reorderSidebarItemsInGroup, { groupId: fixture.id('group'), items })
      },
    ],
    [
      'renaming a link',
      (fixture) => fixture.call('owner', layout.updateSidebarLink, { linkId: fixture.id('link'), label: unique() }),
    ],
    [
      'moving a link to another group',
      (fixture) =>
        fixture.call('owner', layout.moveSidebarLinkToGroup, { linkId: fixture.id('link'), groupId: fixture.groupId }),
    ],
    ['deleting a link', (fixture) => fixture.call('owner', layout.deleteSidebarLink, { linkId: fixture.id('link') })],
    [
      'moving a room back to its group',
      (fixture) => fixture.call('owner', layout.moveRoomToGroup, { roomId: fixture.channel, groupId: fixture.groupId }),
    ],
    ['deleting a group', (fixture) => fixture.call('owner', layout.deleteRoomGroup, { groupId: fixture.id('group') })],
  ] satisfies [string, Row['act']][]
).map(([what, act]) => row(what, act, ['roomGroupsUpdated', everyone]))

const groupIds = async (fixture: Fixture) =>
  (await fixture.call('owner', layout.listRoomGroups, {})).groups.map(({ id }) => id)

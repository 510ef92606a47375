import { AdminRoomLayoutItemKind, AdminRoomLayoutService } from '@parley/contracts/admin'
import { RoomService } from '@parley/contracts/api'
import { roomName } from '../rooms.ts'
import { and, channel, everyone, hall, type Name, openChannel } from './cast.ts'
import { row, type Row } from './rows.ts'
import { type Stage, unique } from './stage.ts'

const { createRoom, updateRoom, archiveRoom, unarchiveRoom, joinRoom, joinRoomGroup, leaveRoom, startDM } =
  RoomService.method
const { addMember, removeMember, banMember, unbanMember } = RoomService.method
const layout = AdminRoomLayoutService.method

const withNina = and(channel, 'nina')
const inChannel = (stage: Stage, about: Name) => ({ roomId: stage.channel, userId: stage.userId(about) })
const rename = (stage: Stage, roomId: string) => stage.call('adam', updateRoom, { roomId, name: roomName() })
const setUniversal = (stage: Stage, universal: boolean) =>
  stage.call('owner', updateRoom, { roomId: stage.channel, universal })
const speak = (stage: Stage, room: 'channel' | 'hall' = 'channel') => stage.post('bob', stage[room], unique())

/** Events caused by a message of bob. */
const spoken = (who: Name[]): Row['receives'] => [
  ['messagePosted', who],
  ['roomMarkedAsRead', ['bob']],
]

/** Memberships of the channel, and recipients of its events. */
export const membership: Row[] = [
  row('joining', (stage) => stage.call('nina', joinRoom, { roomId: stage.channel }), ['userJoinedRoom', withNina]),
  row('a message after a joining', (stage) => speak(stage), ...spoken(withNina)),
  row('leaving', (stage) => stage.call('nina', leaveRoom, { roomId: stage.channel }), ['userLeftRoom', withNina]),
  row('a message after a leave', (stage) => speak(stage), ...spoken(channel)),
  row('adding somebody', (stage) => stage.call('adam', addMember, inChannel(stage, 'nina')), [
    'userJoinedRoom',
    withNina,
  ]),
  row('a message after an adding', (stage) => speak(stage), ...spoken(withNina)),
  row('removing somebody', (stage) => stage.call('adam', removeMember, inChannel(stage, 'nina')), [
    'userLeftRoom',
    withNina,
  ]),
  row('a message after a removal', (stage) => speak(stage), ...spoken(channel)),
  row('joining a group', (stage) => stage.call('nina', joinRoomGroup, { groupId: stage.groupId }), [
    'userJoinedRoom',
    withNina,
  ]),
  row('banning', (stage) => stage.call('adam', banMember, { ...inChannel(stage, 'nina'), reason: 'noise' }), [
    'userLeftRoom',
    withNina,
  ]),
  row('a message after a ban', (stage) => speak(stage), ...spoken(channel)),
  row('lifting a ban', (stage) =>
    stage.call('adam', unbanMember, { ...inChannel(stage, 'nina'), reason: 'quiet again' }),
  ),
  row(
    'banning from a universal room',
    (stage) => stage.call('owner', banMember, { roomId: stage.hall, userId: stage.userId('rex'), reason: 'noise' }),
    ['userLeftRoom', hall],
  ),
  row('a message after that ban', (stage) => speak(stage, 'hall'), ...spoken(hall.filter((name) => name !== 'rex'))),
  row('lifting that ban', (stage) =>
    stage.call('owner', unbanMember, { roomId: stage.hall, userId: stage.userId('rex'), reason: 'quiet again' }),
  ),
  row('a message after it was lifted', (stage) => speak(stage, 'hall'), ...spoken(hall)),
]

/** Changes of rooms. */
export const rooms: Row[] = [
  row(
    'renaming a channel',
    (stage) => rename(stage, stage.channel),
    ['roomUpdated', channel],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'renaming a universal room',
    (stage) => rename(stage, stage.hall),
    ['roomUpdated', hall],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'archiving a channel',
    (stage) => stage.call('adam', archiveRoom, { roomId: stage.channel }),
    ['roomArchived', channel],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'taking it back',
    (stage) => stage.call('adam', unarchiveRoom, { roomId: stage.channel }),
    ['roomUnarchived', channel],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'archiving a universal room',
    (stage) => stage.call('owner', archiveRoom, { roomId: stage.hall }),
    ['roomArchived', hall],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'taking that back',
    (stage) => stage.call('owner', unarchiveRoom, { roomId: stage.hall }),
    ['roomUnarchived', hall],
    ['roomGroupsUpdated', everyone],
  ),
  row('making a channel universal', (stage) => setUniversal(stage, true), ['roomUniversalChanged', openChannel]),
  row('a message while it is', (stage) => speak(stage), ...spoken(openChannel)),
  row('making it an ordinary one again', (stage) => setUniversal(stage, false), ['roomUniversalChanged', openChannel]),
  row('a message after that', (stage) => speak(stage), ...spoken(channel)),
  row('a new channel', (stage) => stage.call('owner', createRoom, { name: roomName(), groupId: stage.groupId }), [
    'roomGroupsUpdated',
    everyone,
  ]),
  row(
    'a new channel of a listener',
    (stage) => stage.call('adam', createRoom, { name: roomName(), groupId: stage.groupId }),
    ['roomCreated', ['adam']],
    ['userJoinedRoom', ['adam']],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'a new universal room',
    (stage) => stage.call('adam', createRoom, { name: roomName(), groupId: stage.groupId, universal: true }),
    ['roomCreated', everyone],
    ['roomGroupsUpdated', everyone],
  ),
  row(
    'a new conversation',
    (stage) => stage.call('nina', startDM, { participantIds: [stage.userId('leo')] }),
    ['roomCreated', ['nina', 'leo']],
    ['userJoinedRoom', ['nina', 'leo']],
    ['userJoinedRoom', ['nina', 'leo']],
  ),
]

const item = (kind: 'ROOM' | 'SIDEBAR_LINK', id: string) => ({ kind: AdminRoomLayoutItemKind[kind], id })

/** The sidebar, which is everyone's. */
export const sidebar: Row[] = (
  [
    [
      'a new group',
      async (stage) => {
        const { group } = await stage.call('owner', layout.createRoomGroup, { name: unique() })
        stage.keep('group', group?.id ?? '')
      },
    ],
    [
      'renaming a group',
      (stage) => stage.call('adam', layout.updateRoomGroup, { groupId: stage.id('group'), name: unique() }),
    ],
    [
      'another order of groups',
      async (stage) =>
        stage.call('owner', layout.reorderRoomGroups, { orderedGroupIds: (await groupIds(stage)).reverse() }),
    ],
    [
      'moving a room to another group',
      (stage) => stage.call('owner', layout.moveRoomToGroup, { roomId: stage.channel, groupId: stage.id('group') }),
    ],
    [
      'a new link',
      async (stage) => {
        const link = { groupId: stage.id('group'), label: 'Wiki', url: 'https://example.org' }
        const { sidebarLink } = await stage.call('owner', layout.createSidebarLink, link)
        stage.keep('link', sidebarLink?.id ?? '')
      },
    ],
    [
      'another order in a group',
      (stage) => {
        const items = [item('SIDEBAR_LINK', stage.id('link')), item('ROOM', stage.channel)]
        return stage.call('owner', layout.reorderSidebarItemsInGroup, { groupId: stage.id('group'), items })
      },
    ],
    [
      'renaming a link',
      (stage) => stage.call('owner', layout.updateSidebarLink, { linkId: stage.id('link'), label: unique() }),
    ],
    [
      'moving a link to another group',
      (stage) =>
        stage.call('owner', layout.moveSidebarLinkToGroup, { linkId: stage.id('link'), groupId: stage.groupId }),
    ],
    ['deleting a link', (stage) => stage.call('owner', layout.deleteSidebarLink, { linkId: stage.id('link') })],
    [
      'moving the room back',
      (stage) => stage.call('owner', layout.moveRoomToGroup, { roomId: stage.channel, groupId: stage.groupId }),
    ],
    ['deleting a group', (stage) => stage.call('owner', layout.deleteRoomGroup, { groupId: stage.id('group') })],
  ] satisfies [string, Row['act']][]
).map(([what, act]) => row(what, act, ['roomGroupsUpdated', everyone]))

const groupIds = async (stage: Stage) =>
  (await stage.call('owner', layout.listRoomGroups, {})).groups.map(({ id }) => id)

import {
  MyAccountService,
  NotificationLevel,
  NotificationPreferencesService,
  NotificationService,
  PresenceStatus,
  RoomService,
} from '@parley/contracts/api'
import { and, channel, type Name } from './users.ts'
import { row, type Row } from './rows.ts'
import type { Fixture } from './fixture.ts'

const { updateRoomNotificationPreference, updateServerNotificationPreference } = NotificationPreferencesService.method
const { listNotifications, dismissNotification, dismissAllNotifications } = NotificationService.method

const withNina = and(channel, 'nina')
const setLevel = (fixture: Fixture, who: Name, level: keyof typeof NotificationLevel) =>
  fixture.call(who, updateRoomNotificationPreference, { roomId: fixture.channel, level: NotificationLevel[level] })
const mention = (fixture: Fixture, who: Name, text = 'look') =>
  fixture.post('ada', fixture.channel, `@${fixture.people[who].login}, ${text}`)

const postEvents = (who: Name[]): Row['receives'] => [
  ['messagePosted', who],
  ['roomMarkedAsRead', ['ada']],
]
const mentionEvents = (...who: Name[]): Row['receives'] => [
  ['notificationCreated', who],
  ['mentionNotification', who],
]

/** At the start dora has an unread mention. */
export const notifications: Row[] = [
  row('choosing notifications about all messages of a room', (fixture) => setLevel(fixture, 'bob', 'ALL_MESSAGES'), [
    'notificationLevelChanged',
    ['bob'],
  ]),
  row(
    'a message in a room for which a member chose all messages',
    (fixture) => fixture.post('ada', fixture.channel, 'to all who listen'),
    ...postEvents(channel),
    ['notificationCreated', ['bob']],
  ),
  row(
    'posting in a room with an unread notification',
    (fixture) => fixture.post('bob', fixture.channel, 'I do'),
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['bob']],
    ['notificationDismissed', ['bob']],
  ),
  row('muting a room', (fixture) => setLevel(fixture, 'bob', 'MUTED'), ['notificationLevelChanged', ['bob']]),
  row('a mention of a member who muted the room', (fixture) => mention(fixture, 'bob'), ...postEvents(channel)),
  row(
    'a mention of everyone',
    (fixture) => fixture.post('ada', fixture.channel, '@all, dinner'),
    ...postEvents(channel),
    ...mentionEvents('dora'),
  ),
  row('unmuting a room', (fixture) => setLevel(fixture, 'bob', 'DEFAULT'), ['notificationLevelChanged', ['bob']]),
  row(
    'choosing a notification level for the server',
    (fixture) => fixture.call('bob', updateServerNotificationPreference, { level: NotificationLevel.NORMAL }),
    ['notificationLevelChanged', ['bob']],
  ),
  row(
    'a mention of a member with do-not-disturb',
    async (fixture) => {
      const request = { status: PresenceStatus.DO_NOT_DISTURB, userSelected: true }
      await fixture.call('dora', MyAccountService.method.updatePresence, request)
      await mention(fixture, 'dora')
    },
    ...postEvents(channel),
    ['notificationCreated', ['dora']],
  ),
  row(
    'dismissing a notification',
    async (fixture) => {
      const [newest] = (await fixture.call('dora', listNotifications, {})).notifications
      await fixture.call('dora', dismissNotification, { notificationId: newest?.id ?? '' })
    },
    ['notificationDismissed', ['dora']],
  ),
  row(
    'dismissing all notifications: a mention in a thread and a mention of everyone',
    (fixture) => fixture.call('dora', dismissAllNotifications, {}),
    ['notificationDismissed', ['dora']],
    ['notificationDismissed', ['dora']],
  ),
  row(
    'joining a channel again',
    (fixture) => fixture.call('nina', RoomService.method.joinRoom, { roomId: fixture.channel }),
    ['userJoinedRoom', withNina],
  ),
  row(
    'a mention of a new member',
    (fixture) => mention(fixture, 'nina'),
    ...postEvents(withNina),
    ...mentionEvents('nina'),
  ),
  row(
    'leaving a room with an unread mention',
    (fixture) => fixture.call('nina', RoomService.method.leaveRoom, { roomId: fixture.channel }),
    ['userLeftRoom', withNina],
    ['notificationDismissed', ['nina']],
  ),
  row('a mention of a former member', (fixture) => mention(fixture, 'nina', 'come back'), ...postEvents(channel)),
]

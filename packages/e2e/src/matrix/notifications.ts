import {
  MyAccountService,
  NotificationLevel,
  NotificationPreferencesService,
  NotificationService,
  PresenceStatus,
  RoomService,
} from '@parley/contracts/api'
import { and, channel, type Name } from './cast.ts'
import { row, type Row } from './rows.ts'
import type { Stage } from './stage.ts'

const { updateRoomNotificationPreference, updateServerNotificationPreference } = NotificationPreferencesService.method
const { listNotifications, dismissNotification, dismissAllNotifications } = NotificationService.method

const withNina = and(channel, 'nina')
const choose = (stage: Stage, who: Name, level: keyof typeof NotificationLevel) =>
  stage.call(who, updateRoomNotificationPreference, { roomId: stage.channel, level: NotificationLevel[level] })
const call = (stage: Stage, who: Name, text = 'look') =>
  stage.post('ada', stage.channel, `@${stage.people[who].login}, ${text}`)

/** Events caused by a message of ada in the channel. */
const posted = (who: Name[]): Row['receives'] => [
  ['messagePosted', who],
  ['roomMarkedAsRead', ['ada']],
]
const mentioned = (...who: Name[]): Row['receives'] => [
  ['notificationCreated', who],
  ['mentionNotification', who],
]

/** Levels, notifications and dismissals of people. dora has an unread mention. */
export const notifications: Row[] = [
  row('choosing all messages of a room', (stage) => choose(stage, 'bob', 'ALL_MESSAGES'), [
    'notificationLevelChanged',
    ['bob'],
  ]),
  row(
    'a message for who chose all of them',
    (stage) => stage.post('ada', stage.channel, 'to all who listen'),
    ...posted(channel),
    ['notificationCreated', ['bob']],
  ),
  row(
    'writing where something is unread',
    (stage) => stage.post('bob', stage.channel, 'I do'),
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['bob']],
    ['notificationDismissed', ['bob']],
  ),
  row('muting a room', (stage) => choose(stage, 'bob', 'MUTED'), ['notificationLevelChanged', ['bob']]),
  row('a mention of who muted the room', (stage) => call(stage, 'bob'), ...posted(channel)),
  row(
    'calling everyone',
    (stage) => stage.post('ada', stage.channel, '@all, dinner'),
    ...posted(channel),
    ...mentioned('dora'),
  ),
  row('unmuting a room', (stage) => choose(stage, 'bob', 'DEFAULT'), ['notificationLevelChanged', ['bob']]),
  row(
    'choosing for every room',
    (stage) => stage.call('bob', updateServerNotificationPreference, { level: NotificationLevel.NORMAL }),
    ['notificationLevelChanged', ['bob']],
  ),
  row(
    'a mention of who is not to be disturbed',
    async (stage) => {
      const request = { status: PresenceStatus.DO_NOT_DISTURB, userSelected: true }
      await stage.call('dora', MyAccountService.method.updatePresence, request)
      await call(stage, 'dora')
    },
    ...posted(channel),
    ['notificationCreated', ['dora']],
  ),
  row(
    'dismissing a notification',
    async (stage) => {
      const [newest] = (await stage.call('dora', listNotifications, {})).notifications
      await stage.call('dora', dismissNotification, { notificationId: newest?.id ?? '' })
    },
    ['notificationDismissed', ['dora']],
  ),
  row(
    'dismissing what is left: a mention in a thread, and a call to everyone',
    (stage) => stage.call('dora', dismissAllNotifications, {}),
    ['notificationDismissed', ['dora']],
    ['notificationDismissed', ['dora']],
  ),
  row('joining again', (stage) => stage.call('nina', RoomService.method.joinRoom, { roomId: stage.channel }), [
    'userJoinedRoom',
    withNina,
  ]),
  row('a mention of who joined', (stage) => call(stage, 'nina'), ...posted(withNina), ...mentioned('nina')),
  row(
    'leaving with something unread',
    (stage) => stage.call('nina', RoomService.method.leaveRoom, { roomId: stage.channel }),
    ['userLeftRoom', withNina],
    ['notificationDismissed', ['nina']],
  ),
  row('a mention of who left', (stage) => call(stage, 'nina', 'come back'), ...posted(channel)),
]

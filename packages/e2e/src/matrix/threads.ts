import { ThreadService } from '@parley/contracts/api'
import type { Fixture } from './fixture.ts'
import { edit, react, remove, sendTyping } from './message-calls.ts'
import { row, type Row } from './rows.ts'
import { channel, without } from './users.ts'

const { followThread, unfollowThread, markThreadAsRead } = ThreadService.method

const inThread = (fixture: Fixture, root: string) => ({ roomId: fixture.channel, threadRootEventId: fixture.id(root) })

export const threads: Row[] = [
  row(
    'the first reply',
    (fixture) => fixture.post('bob', fixture.channel, 'first', { threadRootEventId: fixture.id('hello') }),
    ['messagePosted', channel],
    ['threadCreated', channel],
    ['threadFollowChanged', ['ada', 'bob']],
    ['notificationCreated', ['ada']],
  ),
  row(
    'another reply',
    (fixture) => fixture.post('ada', fixture.channel, 'second', { threadRootEventId: fixture.id('hello') }),
    ['messagePosted', channel],
    ['notificationCreated', ['bob']],
    ['notificationDismissed', ['ada']],
  ),
  row(
    'a reply that mentions a member and a non-member',
    (fixture) => {
      const body = `@${fixture.people.dora.login} and @${fixture.people.nina.login}, look`
      return fixture.post('ada', fixture.channel, body, { threadRootEventId: fixture.id('hello') })
    },
    ['messagePosted', channel],
    ['threadFollowChanged', ['dora']],
    ['notificationCreated', ['bob', 'dora']],
    ['mentionNotification', ['dora']],
  ),
  row(
    'reading a thread',
    (fixture) => fixture.call('bob', markThreadAsRead, inThread(fixture, 'hello')),
    ['notificationDismissed', ['bob']],
    ['notificationDismissed', ['bob']],
  ),
  row('unfollowing a thread', (fixture) => fixture.call('dora', unfollowThread, inThread(fixture, 'hello')), [
    'threadFollowChanged',
    ['dora'],
  ]),
  row('following a thread', (fixture) => fixture.call('dora', followThread, inThread(fixture, 'hello')), [
    'threadFollowChanged',
    ['dora'],
  ]),
  row('typing in a thread', (fixture) => sendTyping(fixture, 'bob', 'channel', fixture.id('hello')), [
    'userTyping',
    without(channel, 'bob'),
  ]),
  row(
    'a reply with an echo',
    (fixture) => {
      const where = { threadRootEventId: fixture.id('hello'), alsoSendToChannel: true }
      return fixture.post('bob', fixture.channel, 'third', where)
    },
    ['messagePosted', channel],
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['bob']],
    ['notificationCreated', ['ada', 'dora']],
  ),
  row(
    'an edit through the echo',
    (fixture) => edit(fixture, 'bob', 'channel', 'echo of third', { body: 'the third' }),
    ['messageEdited', channel],
    ['messageEdited', channel],
  ),
  row('a reaction through the echo', (fixture) => react(fixture, 'ada', 'channel', 'echo of third'), [
    'reactionAdded',
    channel,
  ]),
  row(
    'removing an echo by an edit of its reply',
    (fixture) => edit(fixture, 'bob', 'channel', 'third', { alsoSendToChannel: false }),
    ['messageRetracted', channel],
  ),
  row(
    'adding an echo again',
    async (fixture) => {
      const { message } = await edit(fixture, 'bob', 'channel', 'third', { alsoSendToChannel: true })
      fixture.remember('echo of third', message?.channelEchoEventId ?? '')
    },
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['bob']],
  ),
  row('deleting an echo', (fixture) => remove(fixture, 'bob', 'channel', 'echo of third'), [
    'messageRetracted',
    channel,
  ]),
  row(
    'deleting a reply',
    (fixture) => remove(fixture, 'bob', 'channel', 'third'),
    ['messageRetracted', channel],
    ['notificationDismissed', ['ada', 'dora']],
  ),
  row('deleting the first reply', (fixture) => remove(fixture, 'bob', 'channel', 'first'), [
    'messageRetracted',
    channel,
  ]),
]

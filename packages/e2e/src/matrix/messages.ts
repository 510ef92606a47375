import { create, toBinary } from '@bufbuild/protobuf'
import { MessageService, RoomService, ThreadService } from '@parley/contracts/api'
import { PagePreviewSchema } from '@parley/contracts/internal'
import { databaseOf } from '../databases.ts'
import { sendFile } from '../files.ts'
import { channel, hall, type Name, pair, without } from './cast.ts'
import { row, type Row } from './rows.ts'
import type { Stage } from './stage.ts'

const { updateMessage, deleteMessage, deleteAttachment, deleteLinkPreview, addReaction, removeReaction } =
  MessageService.method
const { followThread, unfollowThread, markThreadAsRead } = ThreadService.method

type Where = 'channel' | 'hall' | 'dm'

const react = (stage: Stage, who: Name, room: Where, to: string, emoji = 'tada') =>
  stage.call(who, addReaction, { roomId: stage[room], messageEventId: stage.id(to), emoji })
const unreact = (stage: Stage, who: Name, room: Where, to: string, emoji = 'tada') =>
  stage.call(who, removeReaction, { roomId: stage[room], messageEventId: stage.id(to), emoji })
const remove = (stage: Stage, who: Name, room: Where, what: string) =>
  stage.call(who, deleteMessage, { roomId: stage[room], eventId: stage.id(what) })
const edit = (
  stage: Stage,
  who: Name,
  room: Where,
  what: string,
  change: { body?: string; alsoSendToChannel?: boolean },
) => stage.call(who, updateMessage, { roomId: stage[room], eventId: stage.id(what), ...change })
const typing = (stage: Stage, who: Name, room: Where, threadRootEventId = '') =>
  stage.call(who, RoomService.method.updateTypingIndicator, { roomId: stage[room], threadRootEventId })
const inThread = (stage: Stage, root: string) => ({ roomId: stage.channel, threadRootEventId: stage.id(root) })

async function postWithFiles(stage: Stage, as: string, count: number) {
  const { ada } = stage.people
  const ids = []
  for (let n = 0; n < count; n++) ids.push(await sendFile(ada, stage.channel, `${as}, page ${n}`))
  ids.forEach((id, n) => stage.keep(`page ${n} of ${as}`, id))
  await stage.post('ada', stage.channel, as, { attachmentAssetIds: ids })
}

const address = 'https://example.org/'

/** Stores a preview as if a page had been fetched: pages of this machine are not. */
async function attachPreview(stage: Stage, to: string) {
  await using database = await databaseOf('messaging')
  const preview = toBinary(PagePreviewSchema, create(PagePreviewSchema, { url: address, title: 'An example' }))
  const where = [stage.channel, stage.id(to), Buffer.from(preview)]
  await database.query('update room_events set link_preview = $3 where room_id = $1 and event_id = $2', where)
}

/** Messages of the three kinds of rooms. */
export const messages: Row[] = [
  row(
    'a message in a channel',
    (stage) => stage.post('ada', stage.channel, 'hello'),
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['ada']],
  ),
  row(
    'a message in a universal room',
    (stage) => stage.post('nina', stage.hall, 'hello hall'),
    ['messagePosted', hall],
    ['roomMarkedAsRead', ['nina']],
  ),
  row(
    'a direct message',
    (stage) => stage.post('ada', stage.dm, 'hello bob'),
    ['messagePosted', pair],
    ['roomMarkedAsRead', ['ada']],
    ['notificationCreated', ['bob']],
    ['newDirectMessageNotification', ['bob']],
  ),
  row(
    'an answer',
    (stage) => stage.post('bob', stage.channel, 'answer', { inReplyTo: stage.id('hello') }),
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['bob']],
    ['notificationCreated', ['ada']],
  ),
  row(
    'reading',
    (stage) =>
      stage.call('ada', RoomService.method.markRoomAsRead, { roomId: stage.channel, upToEventId: stage.id('answer') }),
    ['roomMarkedAsRead', ['ada']],
    ['notificationDismissed', ['ada']],
  ),
  row('an edit in a channel', (stage) => edit(stage, 'ada', 'channel', 'hello', { body: 'hello, all' }), [
    'messageEdited',
    channel,
  ]),
  row('an edit in a universal room', (stage) => edit(stage, 'nina', 'hall', 'hello hall', { body: 'hello, hall' }), [
    'messageEdited',
    hall,
  ]),
  row('an edit of a direct message', (stage) => edit(stage, 'ada', 'dm', 'hello bob', { body: 'hello, bob' }), [
    'messageEdited',
    pair,
  ]),
  row('a reaction in a channel', (stage) => react(stage, 'bob', 'channel', 'hello'), ['reactionAdded', channel]),
  row('a reaction in a universal room', (stage) => react(stage, 'leo', 'hall', 'hello hall'), ['reactionAdded', hall]),
  row('a reaction to a direct message', (stage) => react(stage, 'bob', 'dm', 'hello bob'), ['reactionAdded', pair]),
  row('a reaction taken back', (stage) => unreact(stage, 'bob', 'channel', 'hello'), ['reactionRemoved', channel]),
  row('a reaction in a universal room taken back', (stage) => unreact(stage, 'leo', 'hall', 'hello hall'), [
    'reactionRemoved',
    hall,
  ]),
  row('a reaction to a direct message taken back', (stage) => unreact(stage, 'bob', 'dm', 'hello bob'), [
    'reactionRemoved',
    pair,
  ]),
  row('typing in a channel', (stage) => typing(stage, 'ada', 'channel'), ['userTyping', without(channel, 'ada')]),
  row('typing in a universal room', (stage) => typing(stage, 'nina', 'hall'), ['userTyping', without(hall, 'nina')]),
  row('typing a direct message', (stage) => typing(stage, 'ada', 'dm'), ['userTyping', ['bob']]),
  row(
    'a message with files',
    (stage) => postWithFiles(stage, 'report', 2),
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['ada']],
  ),
  row(
    'a file taken away',
    (stage) =>
      stage.call('ada', deleteAttachment, {
        ...{ roomId: stage.channel, eventId: stage.id('report') },
        attachmentId: stage.id('page 0 of report'),
      }),
    ['messageEdited', channel],
    ['assetDeleted', channel],
  ),
  row(
    'a retraction with what is attached',
    (stage) => remove(stage, 'ada', 'channel', 'report'),
    ['messageRetracted', channel],
    ['assetDeleted', channel],
  ),
  row(
    'a preview taken away',
    async (stage) => {
      await attachPreview(stage, 'hello')
      const message = { roomId: stage.channel, eventId: stage.id('hello') }
      await stage.call('ada', deleteLinkPreview, { ...message, url: address })
    },
    ['messageEdited', channel],
  ),
  row('a retraction in a universal room', (stage) => remove(stage, 'nina', 'hall', 'hello hall'), [
    'messageRetracted',
    hall,
  ]),
  row(
    'a retraction of a direct message',
    (stage) => remove(stage, 'ada', 'dm', 'hello bob'),
    ['messageRetracted', pair],
    ['notificationDismissed', ['bob']],
  ),
]

/** A thread in the channel. Authors of replies follow it, and so does the author of the root. */
export const threads: Row[] = [
  row(
    'the first reply',
    (stage) => stage.post('bob', stage.channel, 'first', { threadRootEventId: stage.id('hello') }),
    ['messagePosted', channel],
    ['threadCreated', channel],
    ['threadFollowChanged', ['ada', 'bob']],
    ['notificationCreated', ['ada']],
  ),
  row(
    'another reply',
    (stage) => stage.post('ada', stage.channel, 'second', { threadRootEventId: stage.id('hello') }),
    ['messagePosted', channel],
    ['notificationCreated', ['bob']],
    ['notificationDismissed', ['ada']],
  ),
  row(
    'a reply that mentions a member and somebody else',
    (stage) => {
      const body = `@${stage.people.dora.login} and @${stage.people.nina.login}, look`
      return stage.post('ada', stage.channel, body, { threadRootEventId: stage.id('hello') })
    },
    ['messagePosted', channel],
    ['threadFollowChanged', ['dora']],
    ['notificationCreated', ['bob', 'dora']],
    ['mentionNotification', ['dora']],
  ),
  row(
    'reading a thread',
    (stage) => stage.call('bob', markThreadAsRead, inThread(stage, 'hello')),
    ['notificationDismissed', ['bob']],
    ['notificationDismissed', ['bob']],
  ),
  row('unfollowing', (stage) => stage.call('dora', unfollowThread, inThread(stage, 'hello')), [
    'threadFollowChanged',
    ['dora'],
  ]),
  row('following', (stage) => stage.call('dora', followThread, inThread(stage, 'hello')), [
    'threadFollowChanged',
    ['dora'],
  ]),
  row('typing in a thread', (stage) => typing(stage, 'bob', 'channel', stage.id('hello')), [
    'userTyping',
    without(channel, 'bob'),
  ]),
  row(
    'a reply with an echo',
    (stage) => {
      const where = { threadRootEventId: stage.id('hello'), alsoSendToChannel: true }
      return stage.post('bob', stage.channel, 'third', where)
    },
    ['messagePosted', channel],
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['bob']],
    ['notificationCreated', ['ada', 'dora']],
  ),
  row(
    'an edit through the echo',
    (stage) => edit(stage, 'bob', 'channel', 'echo of third', { body: 'the third' }),
    ['messageEdited', channel],
    ['messageEdited', channel],
  ),
  row('a reaction through the echo', (stage) => react(stage, 'ada', 'channel', 'echo of third'), [
    'reactionAdded',
    channel,
  ]),
  row('an echo taken back', (stage) => edit(stage, 'bob', 'channel', 'third', { alsoSendToChannel: false }), [
    'messageRetracted',
    channel,
  ]),
  row(
    'an echo put there again',
    async (stage) => {
      const { message } = await edit(stage, 'bob', 'channel', 'third', { alsoSendToChannel: true })
      stage.keep('echo of third', message?.channelEchoEventId ?? '')
    },
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['bob']],
  ),
  row('an echo deleted', (stage) => remove(stage, 'bob', 'channel', 'echo of third'), ['messageRetracted', channel]),
  row(
    'a reply deleted',
    (stage) => remove(stage, 'bob', 'channel', 'third'),
    ['messageRetracted', channel],
    ['notificationDismissed', ['ada', 'dora']],
  ),
  row('the first reply deleted', (stage) => remove(stage, 'bob', 'channel', 'first'), ['messageRetracted', channel]),
]

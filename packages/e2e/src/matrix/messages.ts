import { create, toBinary } from '@bufbuild/protobuf'
import { MessageService, RoomService } from '@parley/contracts/api'
import { PagePreviewSchema } from '@parley/contracts/internal'
import { databaseOf } from '../databases.ts'
import { sendFile } from '../files.ts'
import type { Fixture } from './fixture.ts'
import { edit, react, remove, sendTyping, unreact } from './message-calls.ts'
import { row, type Row } from './rows.ts'
import { channel, hall, pair, without } from './users.ts'

const { deleteAttachment, deleteLinkPreview } = MessageService.method

async function postWithFiles(fixture: Fixture, as: string, count: number) {
  const { ada } = fixture.people
  const ids = []
  for (let n = 0; n < count; n++) ids.push(await sendFile(ada, fixture.channel, `${as}, page ${n}`))
  ids.forEach((id, n) => fixture.remember(`page ${n} of ${as}`, id))
  await fixture.post('ada', fixture.channel, as, { attachmentAssetIds: ids })
}

const previewUrl = 'https://example.org/'

/** Writes a preview into the database: no page can be fetched in a test, because uploads refuses local addresses. */
async function attachPreview(fixture: Fixture, to: string) {
  await using database = await databaseOf('messaging')
  const preview = toBinary(PagePreviewSchema, create(PagePreviewSchema, { url: previewUrl, title: 'An example' }))
  const values = [fixture.channel, fixture.id(to), Buffer.from(preview)]
  await database.query('update room_events set link_preview = $3 where room_id = $1 and event_id = $2', values)
}

export const messages: Row[] = [
  row(
    'a message in a channel',
    (fixture) => fixture.post('ada', fixture.channel, 'hello'),
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['ada']],
  ),
  row(
    'a message in a universal room',
    (fixture) => fixture.post('nina', fixture.hall, 'hello hall'),
    ['messagePosted', hall],
    ['roomMarkedAsRead', ['nina']],
  ),
  row(
    'a direct message',
    (fixture) => fixture.post('ada', fixture.dm, 'hello bob'),
    ['messagePosted', pair],
    ['roomMarkedAsRead', ['ada']],
    ['notificationCreated', ['bob']],
    ['newDirectMessageNotification', ['bob']],
  ),
  row(
    'a reply to a message',
    (fixture) => fixture.post('bob', fixture.channel, 'answer', { inReplyTo: fixture.id('hello') }),
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['bob']],
    ['notificationCreated', ['ada']],
  ),
  row(
    'reading a room',
    (fixture) =>
      fixture.call('ada', RoomService.method.markRoomAsRead, {
        roomId: fixture.channel,
        upToEventId: fixture.id('answer'),
      }),
    ['roomMarkedAsRead', ['ada']],
    ['notificationDismissed', ['ada']],
  ),
  row('an edit in a channel', (fixture) => edit(fixture, 'ada', 'channel', 'hello', { body: 'hello, all' }), [
    'messageEdited',
    channel,
  ]),
  row(
    'an edit in a universal room',
    (fixture) => edit(fixture, 'nina', 'hall', 'hello hall', { body: 'hello, hall' }),
    ['messageEdited', hall],
  ),
  row('an edit of a direct message', (fixture) => edit(fixture, 'ada', 'dm', 'hello bob', { body: 'hello, bob' }), [
    'messageEdited',
    pair,
  ]),
  row('a reaction in a channel', (fixture) => react(fixture, 'bob', 'channel', 'hello'), ['reactionAdded', channel]),
  row('a reaction in a universal room', (fixture) => react(fixture, 'leo', 'hall', 'hello hall'), [
    'reactionAdded',
    hall,
  ]),
  row('a reaction to a direct message', (fixture) => react(fixture, 'bob', 'dm', 'hello bob'), ['reactionAdded', pair]),
  row('removing a reaction in a channel', (fixture) => unreact(fixture, 'bob', 'channel', 'hello'), [
    'reactionRemoved',
    channel,
  ]),
  row('removing a reaction in a universal room', (fixture) => unreact(fixture, 'leo', 'hall', 'hello hall'), [
    'reactionRemoved',
    hall,
  ]),
  row('removing a reaction to a direct message', (fixture) => unreact(fixture, 'bob', 'dm', 'hello bob'), [
    'reactionRemoved',
    pair,
  ]),
  row('typing in a channel', (fixture) => sendTyping(fixture, 'ada', 'channel'), [
    'userTyping',
    without(channel, 'ada'),
  ]),
  row('typing in a universal room', (fixture) => sendTyping(fixture, 'nina', 'hall'), [
    'userTyping',
    without(hall, 'nina'),
  ]),
  row('typing a direct message', (fixture) => sendTyping(fixture, 'ada', 'dm'), ['userTyping', ['bob']]),
  row(
    'a message with files',
    (fixture) => postWithFiles(fixture, 'report', 2),
    ['messagePosted', channel],
    ['roomMarkedAsRead', ['ada']],
  ),
  row(
    'deleting an attachment',
    (fixture) =>
      fixture.call('ada', deleteAttachment, {
        ...{ roomId: fixture.channel, eventId: fixture.id('report') },
        attachmentId: fixture.id('page 0 of report'),
      }),
    ['messageEdited', channel],
    ['assetDeleted', channel],
  ),
  row(
    'a retraction of a message with attachments',
    (fixture) => remove(fixture, 'ada', 'channel', 'report'),
    ['messageRetracted', channel],
    ['assetDeleted', channel],
  ),
  row(
    'deleting a link preview',
    async (fixture) => {
      await attachPreview(fixture, 'hello')
      const message = { roomId: fixture.channel, eventId: fixture.id('hello') }
      await fixture.call('ada', deleteLinkPreview, { ...message, url: previewUrl })
    },
    ['messageEdited', channel],
  ),
  row('a retraction in a universal room', (fixture) => remove(fixture, 'nina', 'hall', 'hello hall'), [
    'messageRetracted',
    hall,
  ]),
  row(
    'a retraction of a direct message',
    (fixture) => remove(fixture, 'ada', 'dm', 'hello bob'),
    ['messageRetracted', pair],
    ['notificationDismissed', ['bob']],
  ),
]

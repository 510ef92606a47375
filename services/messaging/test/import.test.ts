import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, createClient, type Client } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import {
  type ExportMessagesResponse_Message,
  ExportMessagesResponseSchema,
  MessagingTransferService,
  type ImportedMessageSchema,
} from '@parley/contracts/internal'
import { eventually } from '@parley/testkit'
import { markImportRead } from '../src/store/imports.ts'
import { transaction } from '../src/store/statement.ts'
import { recordRoomEvents, errorWith, say, findInTimeline } from './_conversation.ts'
import { useFleet } from './_fleet.ts'

type Sent = MessageInitShape<typeof ImportedMessageSchema>

const fleet = useFleet({ processes: 2 })
let transfer: Client<typeof MessagingTransferService>
beforeAll(async () => {
  transfer = createClient(MessagingTransferService, fleet.rpc.transport())
})

const source = 'slack:T1'
const at = (minute: number) => new Date(Date.UTC(2019, 4, 1, 12, minute))
const message = (externalId: string, minute: number, more: Sent = {}): Sent => {
  return { externalId, authorId: 'ann', createdAt: timestampFromDate(at(minute)), body: `text ${externalId}`, ...more }
}
const send = (roomId: string, messages: Sent[], from = source) =>
  transfer.importMessages({ source: from, roomId, messages })
const timeline = async (roomId: string, userId = 'ann') => {
  const { page } = await fleet.as(userId).rooms.getRoomEvents({ roomId, limit: 500 })
  return (page?.events ?? []).flatMap(({ event }) => {
    if (event.case !== 'messagePosted') return []
    return event.value.message ?? []
  })
}
const channel = async () => (await fleet.room().channel(['ann', 'bob', 'cid'])).roomId

describe('imported messages', () => {
  test('keep their order, time, authors and edits', async () => {
    const roomId = await channel()
    const edited = { updatedAt: timestampFromDate(at(9)) }
    expect(
      await send(roomId, [message('1', 1), message('2', 2, { authorId: 'bob', ...edited }), message('3', 3)]),
    ).toMatchObject({ written: 3, replies: 0 })
    const rows = await timeline(roomId)
    expect(rows.map(({ body, actorId }) => [body, actorId])).toEqual([
      ['text 1', 'ann'],
      ['text 2', 'bob'],
      ['text 3', 'ann'],
    ])
    expect(rows.map(({ createdAt }) => createdAt && timestampDate(createdAt))).toEqual([at(1), at(2), at(3)])
    expect(rows.map(({ updatedAt }) => updatedAt && timestampDate(updatedAt))).toEqual([undefined, at(9), undefined])
  })

  test('sent again, alone or with others, are written once', async () => {
    const roomId = await channel()
    await Promise.all([
      send(roomId, [message('1', 1), message('2', 2)]),
      send(roomId, [message('1', 1), message('2', 2)]),
    ])
    expect(await send(roomId, [message('2', 2), message('3', 3), message('3', 3)])).toMatchObject({ written: 1 })
    expect((await timeline(roomId)).map(({ body }) => body)).toEqual(['text 1', 'text 2', 'text 3'])
    const { entries } = await transfer.importProgress({ roomIds: [roomId, 'Rother'] })
    expect(entries).toMatchObject([{ roomId, messages: 3n, through: timestampFromDate(at(3)) }])
  })

  test('are announced as one event of the room, before later messages', async () => {
    const roomId = await channel()
    await using recording = await recordRoomEvents(fleet, roomId)
    await send(roomId, [message('1', 1), message('2', 2)])
    await say(fleet.as('ann'), roomId, 'and now')
    await eventually(() => expect(recording.events).toHaveLength(2))
    expect(recording.events.map(({ kind, fact }) => [kind, fact.case])).toEqual([
      ['messages_imported', 'messagesImported'],
      ['message_posted', 'messagePosted'],
    ])
    expect(recording.events[0]?.fact.value).toMatchObject({ messages: 2, attachments: [] })
    expect(recording.events.map(({ version }) => version)).toEqual(
      [...recording.events.map(({ version }) => version)].sort((a, b) => Number(a - b)),
    )
  })

  test('keep their threads across several requests, with summaries, echoes and followers', async () => {
    const roomId = await channel()
    await send(roomId, [message('1', 1), message('1.1', 2, { authorId: 'bob', threadRootExternalId: '1' })])
    const more = await send(roomId, [
      message('1.2', 3, { authorId: 'cid', threadRootExternalId: '1', alsoInChannel: true }),
      message('1.3', 4, { authorId: 'bob', threadRootExternalId: '1' }),
    ])
    expect(more).toMatchObject({ written: 2, replies: 2, orphanedExternalIds: [] })
    const [root, echo] = await timeline(roomId)
    expect(root?.thread).toMatchObject({
      replyCount: 3,
      lastReplyAt: timestampFromDate(at(4)),
      participantPreviewUserIds: ['bob', 'cid'],
      viewerState: { isFollowing: true },
    })
    expect(echo).toMatchObject({ body: 'text 1.2', echoFromThreadRootEventId: root?.id })
    const { page } = await fleet.as('ann').threads.getThreadEvents({ roomId, threadRootEventId: root?.id ?? '' })
    expect(page?.events).toHaveLength(4)
  })

  test('of a missing thread become messages of the channel', async () => {
    const roomId = await channel()
    const { orphanedExternalIds } = await send(roomId, [message('7', 1, { threadRootExternalId: 'gone' })])
    expect(orphanedExternalIds).toEqual(['7'])
    expect((await timeline(roomId)).map(({ body }) => body)).toEqual(['text 7'])
  })

  test('may be flat replies in a direct message, but not in a thread', async () => {
    const { roomId } = await fleet.room().dm(['ann', 'bob'])
    await expect(send(roomId, [message('1', 1), message('2', 2, { threadRootExternalId: '1' })])).rejects.toMatchObject(
      errorWith(Code.InvalidArgument, 'message 2: '),
    )
    await send(roomId, [message('1', 1), message('2', 2, { inReplyToExternalId: '1' })])
    const [first, second] = await timeline(roomId)
    expect(second?.inReplyTo).toBe(first?.id)
  })

  test('keep their reactions, with the emojis in the same order', async () => {
    const roomId = await channel()
    const reactions = [
      { emoji: 'tada', userIds: ['bob', 'cid', 'bob'] },
      { emoji: '+1', userIds: ['ann'] },
    ]
    expect(await send(roomId, [message('1', 1, { reactions })])).toMatchObject({ reactions: 3 })
    const [first] = await timeline(roomId)
    expect(first?.reactions).toMatchObject([
      { emoji: 'tada', count: 2, hasReacted: false },
      { emoji: '+1', count: 1, hasReacted: true },
    ])
    await fleet.as('ann').messages.removeReaction({ roomId, messageEventId: first?.id ?? '', emoji: '+1' })
    expect((await findInTimeline(fleet.as('ann'), roomId, first?.id ?? ''))?.reactions).toHaveLength(1)
  })

  test('show their files, and their event lists them', async () => {
    const roomId = await channel()
    await using recording = await recordRoomEvents(fleet, roomId)
    const asset = (assetId: string) => ({ assetId, filename: `${assetId}.txt`, contentType: 'text/plain', size: 5n })
    await send(roomId, [message('1', 1, { body: '', attachments: [asset('Aone'), asset('Atwo')] })])
    const [first] = await timeline(roomId)
    expect(first?.attachments.map(({ id, filename }) => [id, filename])).toEqual([
      ['Aone', 'Aone.txt'],
      ['Atwo', 'Atwo.txt'],
    ])
    await eventually(() => expect(recording.events).toHaveLength(1))
    expect(recording.events[0]?.fact.value).toMatchObject({
      messages: 1,
      attachments: ['Aone', 'Atwo'].map((assetId) => ({ assetId, messageEventId: first?.id })),
    })
  })

  test('that were retracted are placeholders, which do not count as replies', async () => {
    const roomId = await channel()
    const deletedAt = timestampFromDate(at(5))
    await send(roomId, [
      message('1', 1),
      message('1.1', 2, { threadRootExternalId: '1', deletedAt, body: 'gone' }),
      message('2', 3, { deletedAt, body: 'gone' }),
    ])
    const [root, placeholder] = await timeline(roomId)
    expect(root?.thread?.replyCount).toBe(0)
    expect(placeholder?.body).toBeUndefined()
    expect(placeholder?.deletedAt).toEqual(deletedAt)
  })

  test('count as read once the import is finished, in threads too', async () => {
    const roomId = await channel()
    await send(roomId, [message('1', 1), message('1.1', 2, { authorId: 'bob', threadRootExternalId: '1' })])
    const unread = async (userId: string) =>
      (await fleet.messaging.roomStates({ userId, roomIds: [roomId] })).entries.some(({ hasUnread }) => hasUnread)
    expect(await unread('cid')).toBe(true)
    await transfer.finishImport({ roomId, userIds: ['ann', 'bob', 'cid'] })
    expect([await unread('ann'), await unread('cid')]).toEqual([false, false])
    const { rows } = await fleet.pool.query('select user_id from thread_markers where room_id = $1', [roomId])
    expect(rows.map(({ user_id }: { user_id: string }) => user_id).sort()).toEqual(['ann', 'bob'])
    await say(fleet.as('ann'), roomId, 'news')
    await transfer.finishImport({ roomId, userIds: ['cid'] })
    expect(await unread('cid')).toBe(true)
  })

  test('leave messages unread that users posted between two imports', async () => {
    const roomId = await channel()
    await send(roomId, [message('1', 1), message('1.1', 2, { authorId: 'bob', threadRootExternalId: '1' })])
    await transfer.finishImport({ roomId, userIds: ['ann', 'bob', 'cid'] })
    const [root] = await timeline(roomId)
    await say(fleet.as('cid'), roomId, 'news')
    await say(fleet.as('cid'), roomId, 'more', { threadRootEventId: root?.id ?? '' })
    await send(roomId, [message('2', 3), message('2.1', 4, { threadRootExternalId: '2' }), message('3', 5)])
    await transfer.finishImport({ roomId, userIds: ['ann', 'bob', 'cid'] })
    const unread = async (userId: string) =>
      (await fleet.messaging.roomStates({ userId, roomIds: [roomId] })).entries.some(({ hasUnread }) => hasUnread)
    expect([await unread('bob'), await unread('cid')]).toEqual([true, false])
    const { rows } = await fleet.pool.query(
      `select seq < (select last_seq from imports where room_id = $1) as older, root_event_id = $2 as first
from thread_markers where room_id = $1 and user_id = 'ann' order by seq`,
      [roomId, root?.id],
    )
    expect(rows).toEqual([
      { older: true, first: true },
      { older: false, first: false },
    ])
  })

  test.each([
    ['a room', `insert into room_markers (room_id, user_id, seq, read_at) values ($1, $2, 1, now())`],
    [
      'threads',
      `insert into thread_markers (room_id, root_event_id, user_id, seq, read_at) values ($1, $2, 'bob', 1, now())`,
    ],
  ])('are marked as read in a fixed order in %s, to avoid deadlocks', async (_, insertMarker) => {
    const roomId = await channel()
    await send(roomId, [message('1', 1)])
    for (const root of ['cid', 'bob'])
      await fleet.pool.query(
        `insert into thread_follows (room_id, root_event_id, user_id, following) values ($1, $2, 'bob', true)`,
        [roomId, root],
      )
    let marking = Promise.resolve()
    await transaction(fleet.pool, async (on) => {
      await on.query(insertMarker, [roomId, 'bob'])
      marking = transaction(fleet.pool, (their) => markImportRead(their, roomId, ['cid', 'bob']))
      marking.catch(() => undefined)
      await eventually(async () => {
        const { rows } = await fleet.pool.query(`select from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`)
        expect(rows).toHaveLength(1)
      })
      await on.query(insertMarker, [roomId, 'cid'])
    })
    await marking
  })

  test('are found by their ids at the source', async () => {
    const roomId = await channel()
    await send(roomId, [message('1', 1), message('2', 2)])
    const { externalIds } = await transfer.findImportedMessages({ roomId, externalIds: ['2', '3', '1'] })
    expect([...externalIds].sort()).toEqual(['1', '2'])
  })

  test("of a deleted user are placeholders, and that user's reactions are dropped", async () => {
    const roomId = await channel()
    await fleet.pool.query(`insert into erasures (user_id, pass) values ('eve', 1) on conflict do nothing`)
    const reactions = [{ emoji: 'tada', userIds: ['eve'] }]
    await send(roomId, [message('1', 1, { authorId: 'eve', body: 'secret' }), message('2', 2, { reactions })])
    const [placeholder, other] = await timeline(roomId)
    expect([placeholder?.body, placeholder?.deletedAt === undefined, other?.reactions]).toEqual([undefined, false, []])
    const { rows } = await fleet.pool.query(`select from room_events where room_id = $1 and body = 'secret'`, [roomId])
    expect(rows).toEqual([])
  })
})

describe('an import is refused', () => {
  test('in a room with other messages, posted or from another import', async () => {
    const roomId = await channel()
    await say(fleet.as('ann'), roomId, 'mine')
    await expect(send(roomId, [message('1', 1)])).rejects.toMatchObject(
      errorWith(Code.FailedPrecondition, 'not from this'),
    )
    const other = await channel()
    await send(other, [message('1', 1)])
    await expect(send(other, [message('2', 2)], 'slack:T2')).rejects.toMatchObject(
      errorWith(Code.FailedPrecondition, 'not from this'),
    )
  })

  test.each([
    ['an unknown room', 'Rnone', message('1', 1), Code.NotFound],
    ['no author', '', message('1', 1, { authorId: '' }), Code.InvalidArgument],
    ['no id', '', message('', 1), Code.InvalidArgument],
    ['an id that contains U+0000', '', message('1\0', 1), Code.InvalidArgument],
    ['an id that is too long', '', message('1'.repeat(201), 1), Code.InvalidArgument],
    ['a root id that contains U+0000', '', message('1', 1, { threadRootExternalId: '\0' }), Code.InvalidArgument],
    ['no text', '', message('1', 1, { body: ' ' }), Code.InvalidArgument],
    ['a text that is too long', '', message('1', 1, { body: 'x'.repeat(10_001) }), Code.InvalidArgument],
    [
      'an unknown emoji',
      '',
      message('1', 1, { reactions: [{ emoji: ':x:', userIds: ['ann'] }] }),
      Code.InvalidArgument,
    ],
    ['a time before 2000', '', message('1', 1, { createdAt: timestampFromDate(new Date(0)) }), Code.InvalidArgument],
    [
      'a time in the future',
      '',
      message('1', 1, { createdAt: timestampFromDate(new Date(2e13)) }),
      Code.InvalidArgument,
    ],
  ])('with %s, and no message of the request is written', async (_, room, bad, code) => {
    const roomId = room || (await channel())
    await expect(send(roomId, [message('good', 0), bad])).rejects.toMatchObject({ code })
    if (!room) expect(await timeline(roomId)).toEqual([])
  })

  test('with more than 1,000 messages, or finished before it has begun', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => message(String(index), 1))
    await expect(send('R1', many)).rejects.toMatchObject({ code: Code.InvalidArgument })
    await expect(transfer.finishImport({ roomId: await channel(), userIds: ['ann'] })).rejects.toMatchObject({
      code: Code.NotFound,
    })
  })
})

describe('the export of a room', () => {
  test('returns every message in order, with its thread, its reactions and its retraction', async () => {
    const { roomId } = await fleet.room().channel(['ann', 'bob'])
    const [ann, bob] = [fleet.as('ann'), fleet.as('bob')]
    const root = await say(ann, roomId, 'root')
    const reply = await say(bob, roomId, 'reply', { threadRootEventId: root.id, alsoSendToChannel: true })
    const flat = await say(bob, roomId, 'flat', { inReplyTo: root.id })
    for (const person of [bob, ann])
      await person.messages.addReaction({ roomId, messageEventId: root.id, emoji: 'tada' })
    await ann.messages.addReaction({ roomId, messageEventId: root.id, emoji: '+1' })
    await bob.messages.deleteMessage({ roomId, eventId: flat.id })
    const { messages } = await transfer.exportMessages({ roomId })
    expect(messages).toMatchObject([
      {
        ...{ eventId: root.id, authorId: 'ann', body: 'root', threadRootEventId: '', createdAt: root.createdAt },
        reactions: [
          { emoji: 'tada', userIds: ['bob', 'ann'] },
          { emoji: '+1', userIds: ['ann'] },
        ],
      },
      { eventId: reply.id, body: 'reply', threadRootEventId: root.id, alsoInChannel: true },
      { eventId: flat.id, body: '', inReplyTo: root.id, alsoInChannel: false },
    ])
    expect(messages.map(({ deletedAt }) => deletedAt === undefined)).toEqual([true, true, false])
    const after = messages.at(-1)?.roomSeq ?? 0n
    expect((await transfer.exportMessages({ roomId, after })).messages).toEqual([])
    await expect(transfer.exportMessages({ roomId: 'Rnone' })).rejects.toMatchObject({ code: Code.NotFound })
  })

  async function pages(roomId: string) {
    const all: ExportMessagesResponse_Message[][] = []
    for (let after = 0n; ;) {
      const { messages } = await transfer.exportMessages({ roomId, after })
      const last = messages.at(-1)
      if (!last) return all
      all.push(messages)
      after = last.roomSeq
    }
  }

  test('limits the bytes of a page, including its reactions', async () => {
    const roomId = await channel()
    const people = Array.from({ length: 4_000 }, (_, index) => `someone-${index}`)
    const reactions = [{ emoji: 'tada', userIds: people }]
    await send(
      roomId,
      Array.from({ length: 60 }, (_, index) => message(String(index), index, { body: 'x'.repeat(10_000) })),
    )
    for (let index = 60; index < 70; index++) await send(roomId, [message(String(index), index, { reactions })])
    const found = await pages(roomId)
    expect(found.flat()).toHaveLength(70)
    expect(found.flat().at(-1)?.reactions).toMatchObject([{ emoji: 'tada', userIds: people }])
    for (const page of found) {
      const bytes = toBinary(ExportMessagesResponseSchema, create(ExportMessagesResponseSchema, { messages: page }))
      expect(bytes.length).toBeLessThan(512 * 1024)
    }
  })

  test('returns too many reactions of one message in parts', async () => {
    const roomId = await channel()
    const people = Array.from({ length: 20_000 }, (_, index) => `someone-${String(index).padStart(5, '0')}`)
    const reactions = ['tada', '+1'].map((emoji) => ({ emoji, userIds: people }))
    await send(roomId, [message('1', 1, { reactions }), message('2', 2)])
    const exported: string[] = []
    for (let more = true; more;) {
      const { messages } = await transfer.exportMessages({ roomId, skippedReactions: exported.length })
      expect(messages).toHaveLength(1)
      for (const { emoji, userIds } of messages[0]?.reactions ?? [])
        exported.push(...userIds.map((id) => `${emoji} ${id}`))
      more = messages[0]?.moreReactions ?? false
    }
    expect(exported).toHaveLength(40_000)
    expect(new Set(exported).size).toBe(40_000)
  })
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { newId } from '@parley/ids'
import { type Database } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import { explainStatements, openTestDatabase, testDatabase } from '@parley/testkit'
import pg from 'pg'
import { findAttachmentUses, findShownPreviewImages } from '../src/store/file-uses.ts'
import { readMessages } from '../src/store/messages.ts'
import { findProcessingVideos } from '../src/store/processing-videos.ts'
import { findPlacesInRoom, findPlacesInThread } from '../src/store/read-places.ts'
import { retractMessage } from '../src/store/retractions.ts'
import { listRoomAttachments } from '../src/store/room-attachments.ts'
import type { Connection } from '../src/store/statement.ts'
import { readReplies, readThreadAround } from '../src/store/thread-events.ts'
import { readTimeline, readTimelineAround } from '../src/store/timeline.ts'
import { readRoomStates, readUnread } from '../src/store/unread.ts'
import { deep, ordinary, root, writeRooms } from './_deep-room.ts'

const opened = new Resources()
let database: Database
beforeAll(async () => {
  const { url } = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  // With the settings of the service, which affect plans and limit the time of a statement.
  database = opened.use(await openTestDatabase(url, { pool: 1, forceGenericPlans: true }))
  const writer = new pg.Client({ connectionString: url })
  await writer.connect()
  const others = Array.from({ length: 20 }, (_, i) => ({ roomId: `R${i + 3}`, rows: ordinary.rows }))
  await writeRooms(writer, [deep, ordinary, ...others])
  await writer.end()
}, 180_000)
afterAll(async () => opened[Symbol.asyncDispose]())

const count = 51
/** Around a reply: the root, `count` replies before and after, and the reply. */
const maxRows = 2 * count + 2
type Read = (on: Connection, roomId: string, seq: bigint) => Promise<unknown>

const userId = 'ann'
const eventsFrom = (seq: bigint) => Array.from({ length: count }, (_, i) => `E${seq + BigInt(i)}`)
const retractionIn = (roomId: string, seq: bigint) => ({
  ...{ roomId, places: [seq], threadRootEventId: null, authorId: 'U1' },
})

/** Rows repeat a pattern; these depths are at the same offset in it. */
const depths = [1_000, deep.rows / 4, deep.rows / 2, deep.rows - 1_000].map(BigInt)
const shallow = 1_000n

const tables = ['room_events', 'message_attachments', 'reactions', 'reaction_tallies']

test.each<[string, string, Read]>([
  [
    'an older page',
    'room_events_timeline',
    (on, roomId, before) => readTimeline(on, { roomId, userId }, { before }, count),
  ],
  [
    'a newer page',
    'room_events_timeline',
    (on, roomId, after) => readTimeline(on, { roomId, userId }, { after }, count),
  ],
  [
    'a page around a row',
    'room_events_timeline',
    (on, roomId, seq) => readTimelineAround(on, { roomId, userId }, `E${seq + 1n}`, count),
  ],
  [
    'an older page of a thread',
    'room_events_thread',
    (on, roomId, before) => readReplies(on, { roomId, userId }, root, { before }, count),
  ],
  [
    'a newer page of a thread',
    'room_events_thread',
    (on, roomId, after) => readReplies(on, { roomId, userId }, root, { after }, count),
  ],
  [
    'a page around a reply',
    'room_events_thread',
    (on, roomId, seq) => readThreadAround(on, { roomId, userId }, root, `E${seq + 5n}`, count),
  ],
  [
    'messages by their ids',
    'room_events_event',
    (on, roomId, seq) => readMessages(on, { roomId, userId }, eventsFrom(seq)),
  ],
  [
    'a page of files',
    'message_attachments_room_id_seq_position_pk',
    (on, roomId, seq) =>
      listRoomAttachments(on, { roomId, userId }, { limit: count, offset: 0, after: { seq, position: 0, total: 1n } }),
  ],
  [
    'the places for a read marker',
    'room_events_event',
    (on, roomId, seq) => findPlacesInRoom(on, roomId, userId, `E${seq + 1n}`),
  ],
  [
    'the places for a read marker of a thread',
    'room_events_event',
    (on, roomId, seq) => findPlacesInThread(on, { roomId, rootEventId: root }, userId, `E${seq + 5n}`),
  ],
  [
    'retracting a message',
    'room_events_room_id_seq_pk',
    (on, roomId, seq) => retractMessage(on, retractionIn(roomId, seq + 1n), new Date()),
  ],
])('%s costs the same at any depth', async (_, index, read) => {
  const usual = await explainStatements(database.pool, (on) => read(on, ordinary.roomId, shallow))
  for (const depth of depths) {
    const { indexes, scanned, rows, blocks } = await explainStatements(database.pool, (on) =>
      read(on, deep.roomId, depth),
    )
    expect(indexes).toContain(index)
    expect(scanned.filter((table) => tables.includes(table))).toEqual([])
    expect(rows).toBeLessThanOrEqual(maxRows)
    expect(blocks).toBeLessThanOrEqual(1.25 * usual.blocks)
  }
})

test.each<[string, (on: Connection, room: typeof deep) => Promise<unknown>]>([
  ['the latest page', (on, { roomId }) => readTimeline(on, { roomId, userId }, undefined, count)],
  ['the latest page of a thread', (on, { roomId }) => readReplies(on, { roomId, userId }, root, undefined, count)],
  ['the last place for a read marker', (on, { roomId }) => findPlacesInRoom(on, roomId, userId, '')],
  ['states of rooms', (on, { roomId }) => readRoomStates(on, userId, [roomId, 'R3', 'R4'])],
  [
    'retracting the last message',
    (on, { roomId, rows }) => retractMessage(on, retractionIn(roomId, BigInt(rows) - 1n), new Date()),
  ],
])('%s costs the same in a room of any length', async (_, read) => {
  const usual = await explainStatements(database.pool, (on) => read(on, ordinary))
  const { scanned, rows, blocks } = await explainStatements(database.pool, (on) => read(on, deep))
  expect(scanned.filter((table) => tables.includes(table))).toEqual([])
  expect(rows).toBeLessThanOrEqual(maxRows)
  expect(blocks).toBeLessThanOrEqual(1.25 * usual.blocks)
})

test.each<[string, string, (on: Connection, ids: string[]) => Promise<unknown>]>([
  ['files', 'message_attachments_asset', findAttachmentUses],
  ['images of previews', 'room_events_preview_image', findShownPreviewImages],
])('messages that use %s are found by index', async (_, index, find) => {
  const ids = Array.from({ length: 200 }, () => newId('asset'))
  const { indexes, scanned } = await explainStatements(database.pool, (on) => find(on, ids))
  expect(indexes).toContain(index)
  expect(scanned.filter((table) => tables.includes(table))).toEqual([])
})

test('videos being processed are found by a partial index', async () => {
  const { indexes, scanned } = await explainStatements(database.pool, (on) => findProcessingVideos(on, '', 100))
  expect(indexes).toContain('message_attachments_processing')
  expect(scanned.filter((table) => tables.includes(table))).toEqual([])
})

test('unread rooms and threads are found without fetching messages', async () => {
  const { indexes, scanned } = await explainStatements(database.pool, (on) => readUnread(on, userId))
  expect([...indexes, ...scanned].filter((name) => name.startsWith('room_events'))).toEqual([])
})

import { Code } from '@connectrpc/connect'
import type { RoomTimelinePage } from '@parley/contracts/api'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { openTestDatabase } from '@parley/testkit'
import { pageBytes } from '../src/domain/page-bytes.ts'
import { useFleet } from './_fleet.ts'

const long = 'x'.repeat(10_000)
const fitting = Math.floor(pageBytes / long.length)

const fleet = useFleet()
let roomId: string
let root: string
let replies: string[]
let timeline: string[]

beforeAll(async () => {
  roomId = (await fleet.room().channel(['ann'])).roomId
  const post = async (more: object = {}) =>
    (await fleet.as('ann').messages.createMessage({ roomId, body: long, ...more })).message
  root = (await post())?.id ?? ''
  replies = []
  for (let n = 0; n < 2 * fitting + 3; n++)
    replies.push((await post({ threadRootEventId: root, alsoSendToChannel: true }))?.id ?? '')
  timeline = idsOf((await allPages((cursor) => ofRoom({ limit: 500, cursor }))).pages)
})

type Cursor = { case: 'before' | 'after'; value: string } | undefined
type Page = RoomTimelinePage | undefined
type Read = (cursor: Cursor) => Promise<Page>

const ofRoom = async (more: object): Promise<Page> =>
  (await fleet.as('ann').rooms.getRoomEvents({ roomId, ...more })).page
const ofThread = async (more: object): Promise<Page> =>
  (await fleet.as('ann').threads.getThreadEvents({ roomId, threadRootEventId: root, ...more })).page

const idsOf = (pages: readonly Page[]) => pages.flatMap((page) => page?.events.map(({ id }) => id) ?? [])

/** Reads all pages from the latest to the first, then `again` from there to the latest; returns both oldest first. */
async function allPages(read: Read) {
  const pages = [await read(undefined)]
  while (pages[0]?.hasOlder) pages.unshift(await read({ case: 'before', value: pages[0].startCursor }))
  const again = pages.slice(0, 1)
  for (let last = again[0]; last?.hasNewer; last = again.at(-1))
    again.push(await read({ case: 'after', value: last.endCursor }))
  return { pages, again }
}

describe('the size of pages in bytes is limited', () => {
  test('in a room', async () => {
    const { pages, again } = await allPages((cursor) => ofRoom({ limit: 500, cursor }))
    expect(pages.map((page) => page?.events.length).reverse()).toEqual([fitting, fitting, 6])
    expect(new Set(timeline).size).toBe(2 * fitting + 6)
    expect(idsOf(again)).toEqual(timeline)
  })

  test('in a thread, whose latest page has the root, too', async () => {
    const { pages, again } = await allPages((cursor) => ofThread({ limit: 500, cursor }))
    expect(pages.map((page) => page?.events.length)).toEqual([3, fitting, fitting + 1])
    expect(idsOf(pages).filter((id) => id !== root)).toEqual(replies)
    expect(idsOf(again)).toEqual(replies)
  })

  test('around a row, and the row stays in the middle', async () => {
    const at = fitting + 1
    const { page, targetIndex } = await fleet
      .as('ann')
      .rooms.getRoomEventsAround({ roomId, eventId: timeline[at] ?? '', limit: 500 })
    expect(page).toMatchObject({ hasOlder: true, hasNewer: true })
    expect(page?.events).toHaveLength(fitting)
    expect(Math.abs(targetIndex - fitting / 2)).toBeLessThanOrEqual(1)
    const ids = idsOf([page])
    expect(ids).toEqual(timeline.slice(at - targetIndex, at - targetIndex + ids.length))
  })

  test('in the list of followed threads', async () => {
    const other = (await fleet.room().channel(['bob'])).roomId
    const bob = fleet.as('bob')
    const roots: string[] = []
    for (let n = 0; n < fitting + 2; n++) {
      const threadRootEventId = (await bob.messages.createMessage({ roomId: other, body: long })).message?.id ?? ''
      await bob.threads.followThread({ roomId: other, threadRootEventId })
      roots.push(threadRootEventId)
    }
    const first = await bob.threads.listFollowedThreads({ page: { limit: 100 } })
    expect(first.page).toMatchObject({ totalCount: BigInt(fitting + 2), hasMore: true })
    const cursor = first.page?.nextCursor ?? ''
    const second = await bob.threads.listFollowedThreads({ page: { limit: 100, cursor } })
    expect(second.page).toMatchObject({ hasMore: false, nextCursor: '' })
    const ids = [first, second].map(({ threads }) => threads.map(({ rootMessage }) => rootMessage?.id ?? ''))
    expect(ids.map((page) => page.length)).toEqual([fitting, 2])
    expect(new Set(ids.flat())).toEqual(new Set(roots))
  })
})

test('attachments and reactions count toward the size of a page', async () => {
  await using database = await openTestDatabase(fleet.database.url, { pool: 1 })
  const other = (await fleet.room().channel(['cat'])).roomId
  const post = async (more: object = {}) =>
    (await fleet.as('cat').messages.createMessage({ roomId: other, body: 'short', ...more })).message?.id ?? ''
  const root = await post()
  const ids = [root]
  for (let n = 0; n < fitting; n++) ids.push(await post())
  const echoed = await fleet
    .as('cat')
    .messages.createMessage({ roomId: other, body: 'short', threadRootEventId: root, alsoSendToChannel: true })
  ids.push(echoed.message?.channelEchoEventId ?? '')
  await database.pool.query(
    `insert into reaction_tallies (room_id, seq, emoji, count, first_user_ids, since)
      select room_id, seq, 'emoji' || n, 1, array['cat'], n from room_events, generate_series(1, 25) n
      where room_id = $1 and kind = 'message_posted' and echo_of_event_id is null`,
    [other],
  )
  await database.pool.query(
    `insert into message_attachments (room_id, seq, position, asset_id, filename, content_type, size, width, height)
      select room_id, seq, n, 'A' || seq || '-' || n, 'a.png', 'image/png', 1, 1, 1 from room_events, generate_series(1, 5) n
      where room_id = $1 and kind = 'message_posted' and echo_of_event_id is null`,
    [other],
  )
  const read = async (more: object): Promise<Page> =>
    (await fleet.as('cat').rooms.getRoomEvents({ roomId: other, limit: 500, ...more })).page
  const { pages, again } = await allPages((cursor) => read({ cursor }))
  expect(pages.at(-1)?.events).toHaveLength(fitting)
  expect(idsOf(pages).filter((id) => ids.includes(id))).toEqual(ids)
  expect(idsOf(again)).toEqual(idsOf(pages))
})

test('too many concurrent reads of a caller are refused; posts succeed', async () => {
  const reading = Array.from({ length: 200 }, () =>
    ofRoom({ limit: 500 }).then(
      () => 'read',
      (error: { code: Code }) => Code[error.code],
    ),
  )
  const post = await fleet.as('ann').messages.createMessage({ roomId, body: 'in between' })
  expect(post.message?.id).toBeDefined()
  const answers = await Promise.all(reading)
  expect(new Set(answers)).toEqual(new Set(['read', 'ResourceExhausted']))
})

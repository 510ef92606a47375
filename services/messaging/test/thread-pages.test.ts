import { Code } from '@connectrpc/connect'
import type { RoomTimelinePage } from '@parley/contracts/api'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()
let thread: Awaited<ReturnType<typeof createThread>>
beforeAll(async () => {
  thread = await createThread(9)
})

async function createThread(count: number) {
  const room = await fleet.room().channel(['ann', 'bob', 'cyd'])
  const { roomId } = room
  const post = async (userId: string, body: string, more: object = {}) =>
    (await fleet.as(userId).messages.createMessage({ roomId, body, ...more })).message?.id ?? ''
  const root = await post('ann', 'root')
  const other = await post('ann', 'other')
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    ids.push(await post(n % 2 ? 'bob' : 'cyd', `reply ${n}`, { threadRootEventId: root }))
    await post('ann', 'between', { threadRootEventId: n % 2 ? other : '' })
  }
  const events = async (more: object = {}, userId = 'ann') =>
    (await fleet.as(userId).threads.getThreadEvents({ roomId, threadRootEventId: root, ...more })).page
  const around = async (eventId: string, limit: number, userId = 'ann') =>
    fleet.as(userId).threads.getThreadEventsAround({ roomId, threadRootEventId: root, eventId, limit })
  return { room, roomId, root, other, ids, events, around, post }
}

const idsOf = (page: RoomTimelinePage | undefined) => page?.events.map(({ id }) => id)

test('the root and the replies show their reactions', async () => {
  const { roomId, root, ids, events } = await createThread(2)
  const reacted = [root, ids[1] ?? '']
  for (const messageEventId of reacted)
    await fleet.as('bob').messages.addReaction({ roomId, messageEventId, emoji: 'tada' })
  const page = await events({}, 'bob')
  const shown = page?.events.filter(
    ({ event }) =>
      event.case === 'messagePosted' && event.value.message?.reactions.some(({ hasReacted }) => hasReacted),
  )
  expect(shown?.map(({ id }) => id)).toEqual(reacted)
})

test('pages lead through all replies; the latest has the root', async () => {
  const { root, ids, events } = thread
  const latest = await events({ limit: 4 })
  expect(idsOf(latest)).toEqual([root, ...ids.slice(5)])
  expect(latest).toMatchObject({ hasOlder: true, hasNewer: false })
  const older = await events({ limit: 4, cursor: { case: 'before', value: latest?.startCursor } })
  expect(idsOf(older)).toEqual(ids.slice(1, 5))
  expect(older).toMatchObject({ hasOlder: true, hasNewer: true })
  const oldest = await events({ limit: 4, cursor: { case: 'before', value: older?.startCursor } })
  expect(idsOf(oldest)).toEqual(ids.slice(0, 1))
  expect(oldest).toMatchObject({ hasOlder: false, hasNewer: true })
  const newer = await events({ limit: 4, cursor: { case: 'after', value: oldest?.endCursor } })
  expect(idsOf(newer)).toEqual(ids.slice(1, 5))
  expect(newer).toMatchObject({ hasOlder: true, hasNewer: true })
  const newest = await events({ limit: 4, cursor: { case: 'after', value: newer?.endCursor } })
  expect(idsOf(newest)).toEqual(ids.slice(5))
  expect(newest).toMatchObject({ hasOlder: true, hasNewer: false })
  const none = await events({ limit: 4, cursor: { case: 'after', value: newest?.endCursor } })
  expect(none).toMatchObject({ events: [], startCursor: newest?.endCursor, endCursor: newest?.endCursor })
})

test('a page includes the authors, and its root has the summary of the thread', async () => {
  const page = await thread.events({ limit: 1 })
  const [root] = page?.events ?? []
  const message = root?.event.case === 'messagePosted' ? root.event.value.message : undefined
  expect(message?.thread).toMatchObject({ replyCount: 9, participantCount: 2 })
  expect(message?.thread?.participantPreviewUserIds).toEqual(['cyd', 'bob'])
  expect(Object.keys(page?.includes?.users ?? {}).sort()).toEqual(['ann', 'bob', 'cyd'])
})

test('without replies a page has only the root', async () => {
  const { roomId, post } = thread
  const threadRootEventId = await post('bob', 'lonely')
  const ann = fleet.as('ann').threads
  const { page } = await ann.getThreadEvents({ roomId, threadRootEventId })
  expect(idsOf(page)).toEqual([threadRootEventId])
  expect(page).toMatchObject({ hasOlder: false, hasNewer: false })
  const first = await post('bob', 'no longer', { threadRootEventId })
  const cursor = { case: 'after', value: page?.endCursor ?? '' } as const
  expect(idsOf((await ann.getThreadEvents({ roomId, threadRootEventId, cursor })).page)).toEqual([first])
})

describe('a page around', () => {
  test('a reply stays full at the ends', async () => {
    const { root, ids, around } = thread
    const inTheMiddle = await around(ids[4] ?? '', 3)
    expect(idsOf(inTheMiddle.page)).toEqual([root, ...ids.slice(3, 6)])
    expect(inTheMiddle).toMatchObject({ targetIndex: 2, page: { hasOlder: true, hasNewer: true } })
    const first = await around(ids[0] ?? '', 3)
    expect(idsOf(first.page)).toEqual([root, ...ids.slice(0, 3)])
    expect(first).toMatchObject({ targetIndex: 1, page: { hasOlder: false, hasNewer: true } })
    const last = await around(ids[8] ?? '', 3)
    expect(idsOf(last.page)).toEqual([root, ...ids.slice(6)])
    expect(last).toMatchObject({ targetIndex: 3, page: { hasOlder: true, hasNewer: false } })
    const more = await thread.events({ cursor: { case: 'before', value: last.page?.startCursor } })
    expect(idsOf(more)).toEqual(ids.slice(0, 6))
  })

  test('the root has the first replies', async () => {
    const { root, ids, around } = thread
    const answer = await around(root, 3)
    expect(idsOf(answer.page)).toEqual([root, ...ids.slice(0, 3)])
    expect(answer).toMatchObject({ targetIndex: 0, page: { hasOlder: false, hasNewer: true } })
    const all = await around(root, 9)
    expect(all.page).toMatchObject({ hasOlder: false, hasNewer: false })
  })

  test('a row outside the thread is not found', async () => {
    for (const eventId of [thread.other, 'Enothing', 'no id'])
      await expect(thread.around(eventId, 3)).rejects.toMatchObject({ code: Code.NotFound })
  })
})

describe('a thread cannot be read', () => {
  test('if its root is a reply, an echo, another event or unknown', async () => {
    const { room, roomId, ids, post } = thread
    const { message } = await fleet.as('bob').messages.createMessage({
      ...{ roomId, body: 'x', threadRootEventId: await post('ann', 'another root'), alsoSendToChannel: true },
    })
    const rows = [ids[0] ?? '', message?.channelEchoEventId ?? '', room.facts[0]?.eventId ?? '', 'Enothing', 'no id']
    const { threads } = fleet.as('ann')
    for (const threadRootEventId of rows) {
      const request = { roomId, threadRootEventId }
      await expect(threads.getThreadEvents(request)).rejects.toMatchObject({ code: Code.NotFound })
      await expect(threads.getThreadEventsAround({ ...request, eventId: ids[1] ?? '' })).rejects.toMatchObject({
        code: Code.NotFound,
      })
    }
  })

  test('by a non-member, or in a direct message', async () => {
    await expect(thread.events({}, 'dan')).rejects.toMatchObject({ code: Code.PermissionDenied })
    await expect(thread.around(thread.ids[0] ?? '', 3, 'dan')).rejects.toMatchObject({ code: Code.PermissionDenied })
    const { roomId } = await fleet.room().dm(['ann', 'bob'])
    const { message } = await fleet.as('ann').messages.createMessage({ roomId, body: 'x' })
    const reading = fleet.as('ann').threads.getThreadEvents({ roomId, threadRootEventId: message?.id ?? '' })
    await expect(reading).rejects.toMatchObject({ code: Code.InvalidArgument })
  })

  test('with an invalid cursor', async () => {
    const reading = thread.events({ cursor: { case: 'before', value: 'tl:!' } })
    await expect(reading).rejects.toMatchObject({ code: Code.InvalidArgument })
  })
})

test('a thread can be read in an archived room', async () => {
  const { room, root, events } = await createThread(1)
  await room.archive()
  expect(idsOf(await events())?.[0]).toBe(root)
})

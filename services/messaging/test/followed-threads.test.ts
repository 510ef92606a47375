import { Code } from '@connectrpc/connect'
import { RoomKind, type ListFollowedThreadsResponse } from '@parley/contracts/api'
import { expect, test } from '@jest/globals'
import { useFleet } from './_fleet.ts'

const fleet = useFleet({ now: () => new Date(time++) })
/** Advances with each use, because threads with equal times are ordered by id. */
let time = Date.now()

const post = async (userId: string, roomId: string, threadRootEventId = '') =>
  (await fleet.as(userId).messages.createMessage({ roomId, body: 'x', threadRootEventId })).message?.id ?? ''
const list = (userId: string, page: object = {}) => fleet.as(userId).threads.listFollowedThreads({ page })
const roots = ({ threads }: ListFollowedThreadsResponse) => threads.map(({ rootMessage }) => rootMessage?.id)

/** Seven threads in two rooms, the last two without replies. Returns the expected order. */
async function createFollowed(reader: string) {
  const rooms = [await fleet.room().channel([reader, 'ann', 'bob']), await fleet.room().channel([reader, 'ann', 'bob'])]
  const threads: { roomId: string; threadRootEventId: string }[] = []
  for (let n = 0; n < 7; n++) {
    const roomId = rooms[n % 2]?.roomId ?? ''
    threads.push({ roomId, threadRootEventId: await post('ann', roomId) })
  }
  for (const thread of threads) await fleet.as(reader).threads.followThread(thread)
  for (const { roomId, threadRootEventId } of [...threads.slice(0, 5), ...threads.slice(0, 1)])
    await post('bob', roomId, threadRootEventId)
  const newestFirst = [0, 4, 3, 2, 1].map((n) => threads[n]?.threadRootEventId)
  const without = threads.slice(5).sort((a, b) => (a.roomId < b.roomId ? -1 : 1))
  return { rooms, threads, expected: [...newestFirst, ...without.map((thread) => thread.threadRootEventId)] }
}

test('threads are listed by newest reply, those without replies last', async () => {
  const { rooms, threads, expected } = await createFollowed('r1')
  const answer = await list('r1')
  expect(roots(answer)).toEqual(expected)
  expect(answer.page).toMatchObject({ totalCount: 7n, hasMore: false, nextCursor: '' })
  expect(answer.threads[0]).toMatchObject({
    rootMessage: { roomId: threads[0]?.roomId, body: 'x', actorId: 'ann' },
    room: { id: rooms[0]?.roomId, kind: RoomKind.CHANNEL, name: 'tea' },
    thread: {
      ...{ replyCount: 2, participantPreviewUserIds: ['bob'], participantCount: 1 },
      viewerState: { isFollowing: true, hasUnread: true },
    },
  })
  expect(answer.threads.at(-1)?.thread?.lastReplyAt).toBeUndefined()
  expect(answer.threads.map(({ thread }) => thread?.viewerState?.hasUnread)).toEqual([
    ...Array.from({ length: 5 }, () => true),
    ...[false, false],
  ])
  expect(Object.keys(answer.includes?.users ?? {}).sort()).toEqual(['ann', 'bob'])
})

test('pages lead through all threads, by cursor and by offset', async () => {
  const { expected } = await createFollowed('r2')
  for (const limit of [1, 3, 4, 6]) {
    const found: (string | undefined)[] = []
    let cursor = ''
    do {
      const answer = await list('r2', { limit, cursor })
      found.push(...roots(answer))
      cursor = answer.page?.nextCursor ?? ''
      expect(answer.page).toMatchObject({ totalCount: 7n, hasMore: cursor !== '' })
    } while (cursor)
    expect(found).toEqual(expected)
  }
  expect(roots(await list('r2', { limit: 3, offset: 2 }))).toEqual(expected.slice(2, 5))
  const past = await list('r2', { offset: 7 })
  expect([past.threads, past.page?.hasMore, past.page?.totalCount]).toEqual([[], false, 7n])
  for (const cursor of ['x', 'WyIxIl0', Buffer.from('["1","R","E","E"]').toString('base64url')])
    await expect(list('r2', { cursor })).rejects.toMatchObject({ code: Code.InvalidArgument })
})

test('a page has 20 threads by default, and at most 100', async () => {
  const { roomId } = await fleet.room().channel(['r3'])
  const threads = fleet.as('r3').threads
  for (let n = 0; n < 101; n++) await threads.followThread({ roomId, threadRootEventId: await post('r3', roomId) })
  expect((await list('r3')).threads).toHaveLength(20)
  expect((await list('r3', { limit: 500 })).threads).toHaveLength(100)
})

test('a thread is listed until the user unfollows it, leaves its room or is banned from it', async () => {
  const [left, universal, archived, kept] = [
    await fleet.room().channel(['r4', 'bob']),
    await fleet.room().channel(['bob'], { universal: true }),
    await fleet.room().channel(['r4', 'bob']),
    await fleet.room().channel(['r4', 'bob']),
  ]
  const createIn = async ({ roomId }: { roomId: string }) => {
    const thread = { roomId, threadRootEventId: await post('bob', roomId) }
    await fleet.as('r4').threads.followThread(thread)
    await post('bob', roomId, thread.threadRootEventId)
    return thread
  }
  const [inLeft, inUniversal, inArchived, inKept] = [
    await createIn(left),
    await createIn(universal),
    await createIn(archived),
    await createIn(kept),
  ]
  const listed = async () => roots(await list('r4'))
  const all = [inKept, inArchived, inUniversal, inLeft].map((thread) => thread.threadRootEventId)
  expect(await listed()).toEqual(all)
  await left.leave('r4')
  expect(await listed()).toEqual(all.slice(0, 3))
  await universal.ban('r4')
  expect(await listed()).toEqual(all.slice(0, 2))
  await archived.archive()
  expect(await listed()).toEqual(all.slice(0, 2))
  for (const thread of [inKept, inArchived]) await fleet.as('r4').threads.unfollowThread(thread)
  const none = await list('r4')
  expect([none.threads, none.page?.totalCount]).toEqual([[], 0n])
  await fleet.as('r4').threads.followThread(inArchived)
  await universal.unban('r4')
  expect(await listed()).toEqual([inArchived, inUniversal].map((thread) => thread.threadRootEventId))
})

test('a retracted root is a placeholder; retracted replies do not count', async () => {
  const { roomId } = await fleet.room().channel(['r5', 'bob'])
  const root = await post('bob', roomId)
  await fleet.as('r5').threads.followThread({ roomId, threadRootEventId: root })
  const reply = await post('bob', roomId, root)
  for (const eventId of [root, reply]) await fleet.as('bob').messages.deleteMessage({ roomId, eventId })
  const [thread] = (await list('r5')).threads
  expect(thread).toMatchObject({
    rootMessage: { id: root, deletedAt: expect.anything() },
    thread: { replyCount: 0, viewerState: { hasUnread: false } },
  })
  expect(thread?.rootMessage?.body).toBeUndefined()
})

import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { eventually, recordEvents } from '@parley/testkit'
import { deliveriesOf } from './_events.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()

const post = async (userId: string, roomId: string, more: object = {}) =>
  (await fleet.as(userId).messages.createMessage({ roomId, body: 'x', ...more })).message?.id ?? ''

async function createThread(rootAuthor: string, ...others: string[]) {
  const room = await fleet.room().channel([rootAuthor, ...others])
  const { roomId } = room
  const threadRootEventId = await post(rootAuthor, roomId)
  const thread = { roomId, threadRootEventId }
  const following = async (userId: string) =>
    (await fleet.as(userId).messages.getMessage({ roomId, eventId: threadRootEventId })).message?.thread?.viewerState
      ?.isFollowing
  return { room, roomId, thread, following, reply: (userId: string) => post(userId, roomId, thread) }
}

test('following is shown with the root, and announced only to the caller', async () => {
  const { thread, following } = await createThread('ann', 'bob')
  await using recorded = await recordEvents(fleet.bus, 'evt.reader.bob.*')
  const { threads } = fleet.as('bob')
  expect(await threads.followThread(thread)).toMatchObject({ following: true, state: { ...thread, following: true } })
  expect([await following('bob'), await following('ann')]).toEqual([true, false])
  await threads.followThread(thread)
  expect(await threads.unfollowThread(thread)).toMatchObject({
    following: false,
    state: { ...thread, following: false },
  })
  await threads.unfollowThread(thread)
  expect(await following('bob')).toBe(false)
  await threads.followThread(thread)
  const events = await eventually(() => {
    const found = [...new Map(recorded.events.map((event) => [event.id, event])).values()]
    return found.length >= 3 && found
  })
  expect(events.map(({ version }) => version)).toEqual(events.map(({ version }) => version).toSorted())
  expect(events.map(({ kind }) => kind)).toEqual(['thread_followed', 'thread_unfollowed', 'thread_followed'])
  for (const event of events) {
    const value = { ...thread, following: event.kind === 'thread_followed' }
    expect(event.fact.value).toMatchObject(value)
    expect(deliveriesOf(event)).toEqual([
      { to: ['bob'], id: event.id, actorId: 'bob', kind: 'threadFollowChanged', value },
    ])
  }
})

test('after unfollowing, own replies make the user follow again, replies of others do not', async () => {
  const { thread, following, reply } = await createThread('cyd', 'dan')
  await fleet.as('cyd').threads.unfollowThread(thread)
  await reply('dan')
  expect([await following('cyd'), await following('dan')]).toEqual([false, true])
  await fleet.as('dan').threads.unfollowThread(thread)
  await reply('cyd')
  expect([await following('cyd'), await following('dan')]).toEqual([true, false])
  await reply('dan')
  expect(await following('dan')).toBe(true)
})

test('concurrent requests of a user to follow and unfollow a thread have one order', async () => {
  const { thread, following } = await createThread('eve', 'fay')
  await using recorded = await recordEvents(fleet.bus, 'evt.reader.fay.*')
  const { threads } = fleet.as('fay')
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? threads.followThread(thread) : threads.unfollowThread(thread))),
  )
  await threads.followThread(thread)
  const last = await following('fay')
  expect(last).toBe(true)
  const published = `select event_id as id from outbox where aggregate = 'reader.fay' order by id`
  const stored = (await fleet.pool.query<{ id: string }>(published)).rows.map(({ id }) => id)
  await eventually(() => expect(new Set(recorded.events.map(({ id }) => id))).toEqual(new Set(stored)))
  const versions = [...new Set(recorded.events.map(({ version }) => version))]
  expect(versions).toEqual(versions.toSorted((a, b) => Number(a - b)))
  const newest = recorded.events.find(({ version }) => version === versions.at(-1))
  expect(newest?.kind).toBe('thread_followed')
})

test('following requires a root in a channel that the user may read', async () => {
  const { room, roomId, thread, reply } = await createThread('gus', 'hal')
  const replyId = await reply('hal')
  const { threads } = fleet.as('hal')
  for (const call of [threads.followThread, threads.unfollowThread]) {
    const expectRefusal = (change: object, code: Code) =>
      expect(call({ ...thread, ...change })).rejects.toMatchObject({ code })
    await expectRefusal({ threadRootEventId: 'Enothing' }, Code.NotFound)
    await expectRefusal({ threadRootEventId: 'no id' }, Code.NotFound)
    await expectRefusal({ roomId: 'Rnothing' }, Code.NotFound)
    await expectRefusal({ threadRootEventId: replyId }, Code.InvalidArgument)
    await expectRefusal({ threadRootEventId: room.facts[1]?.eventId ?? '' }, Code.InvalidArgument)
  }
  await expect(fleet.as('x').threads.followThread(thread)).rejects.toMatchObject({ code: Code.PermissionDenied })
  const direct = await fleet.room().dm(['gus', 'hal'])
  const inDm = { roomId: direct.roomId, threadRootEventId: await post('gus', direct.roomId) }
  await expect(threads.followThread(inDm)).rejects.toMatchObject({ code: Code.InvalidArgument })
  await room.archive()
  expect(await threads.followThread({ roomId, threadRootEventId: thread.threadRootEventId })).toMatchObject({
    following: true,
  })
})

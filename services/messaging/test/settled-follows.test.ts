import { beforeAll, expect, test } from '@jest/globals'
import { explainStatements, countCosts, eventually, type CostCounter } from '@parley/testkit'
import fc from 'fast-check'
import { readFollowedThreads } from '../src/store/followed-threads.ts'
import { maxFollowsWithoutWatermark, maxPlacesAfterWatermark, settleFollows } from '../src/store/settle-follows.ts'
import { readUnread } from '../src/store/unread.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet({ processes: 0 })
let costs: CostCounter
beforeAll(async () => {
  costs = fleet.use(await countCosts(fleet.bus))
  await fleet.start()
})

const post = async (userId: string, roomId: string, threadRootEventId = '') =>
  (await fleet.as(userId).messages.createMessage({ roomId, body: 'x', threadRootEventId })).message?.id ?? ''
const threadsUnread = async (userId: string) => (await fleet.messaging.hasUnread({ userId })).followedThreads

/** Adds threads with one reply each. The user follows them and has read everything. */
async function addReadThreads(roomId: string, userId: string, threads: number): Promise<void> {
  const { pool } = fleet
  const parameters = [roomId, userId, threads]
  await pool.query(
    `insert into threads (room_id, root_event_id, reply_count, last_reply_at, last_reply_seq, participant_ids)
    select $1, $2 || 'old' || n, 1, now(), 1, '{}' from generate_series(1, $3) n`,
    parameters,
  )
  await pool.query(
    `insert into thread_follows (room_id, root_event_id, user_id, following)
    select $1, $2 || 'old' || n, $2, true from generate_series(1, $3) n`,
    parameters,
  )
  await pool.query(
    `insert into thread_markers (room_id, root_event_id, user_id, seq, read_at)
    select $1, $2 || 'old' || n, $2, 1, now() from generate_series(1, $3) n`,
    parameters,
  )
}

const settledOf = async (userId: string) =>
  Number((await fleet.pool.query('select from thread_follows where user_id = $1 and settled', [userId])).rowCount)
const watermarkOf = async (userId: string, roomId: string) =>
  (
    await fleet.pool.query<{ seq: bigint }>('select seq from thread_watermarks where user_id = $1 and room_id = $2', [
      ...[userId, roomId],
    ])
  ).rows[0]?.seq

// Settled threads are not visited again until there are later replies.
test('HasUnread settles read threads once, and finds later replies in them', async () => {
  const { roomId } = await fleet.room().channel(['ann', 'bob'])
  const root = await post('bob', roomId)
  await fleet.as('ann').threads.followThread({ roomId, threadRootEventId: root })
  await post('bob', roomId, root)
  await addReadThreads(roomId, 'ann', maxFollowsWithoutWatermark)
  expect(await costs.of(() => fleet.messaging.hasUnread({ userId: 'ann' }))).toMatchObject({
    statements: ['read_unread', 'settle_follows'],
  })
  expect(await settledOf('ann')).toBe(maxFollowsWithoutWatermark)
  expect(await costs.of(() => fleet.messaging.hasUnread({ userId: 'ann' }))).toMatchObject({
    statements: ['read_unread'],
  })
  expect(await threadsUnread('ann')).toBe(true)
  await fleet.as('ann').threads.markThreadAsRead({ roomId, threadRootEventId: root })
  expect(await threadsUnread('ann')).toBe(false)
  await settleFollows(fleet.pool, 'ann', [roomId])
  expect(await settledOf('ann')).toBe(maxFollowsWithoutWatermark + 1)
  await post('bob', roomId, root)
  expect(await threadsUnread('ann')).toBe(true)
})

test('HasUnread moves a watermark that is far behind the log of its room', async () => {
  const { roomId } = await fleet.room().channel(['cat', 'bob'])
  const root = await post('bob', roomId)
  await fleet.as('cat').threads.followThread({ roomId, threadRootEventId: root })
  await settleFollows(fleet.pool, 'cat', [roomId])
  expect(await settledOf('cat')).toBe(1)
  const before = (await watermarkOf('cat', roomId)) ?? 0n
  await post('bob', roomId, root)
  await fleet.pool.query('update room_lines set room_seq = room_seq + $2 where room_id = $1', [
    ...[roomId, maxPlacesAfterWatermark],
  ])
  expect(await threadsUnread('cat')).toBe(true)
  expect(await settledOf('cat')).toBe(0)
  expect(await watermarkOf('cat', roomId)).toBe(before + 1n + BigInt(maxPlacesAfterWatermark))
  expect(await threadsUnread('cat')).toBe(true)
})

test('HasUnread does not fetch settled threads without new replies', async () => {
  const { roomId } = await fleet.room().channel(['fay', 'bob'])
  await addReadThreads(roomId, 'fay', 2 * maxFollowsWithoutWatermark)
  const explain = async () => {
    await fleet.pool.query('vacuum analyze')
    return await explainStatements(fleet.pool, (on) => readUnread(on, 'fay'))
  }
  expect((await explain()).rows).toBeGreaterThan(maxFollowsWithoutWatermark)
  await settleFollows(fleet.pool, 'fay', [roomId])
  const { indexes, rows } = await explain()
  expect(indexes).toEqual(expect.arrayContaining(['thread_follows_user_settled', 'threads_last_reply']))
  expect(rows).toBeLessThan(100)
})

test('ListFollowedThreads fetches only the read markers of its page', async () => {
  const { roomId } = await fleet.room().channel(['gus'])
  await addReadThreads(roomId, 'gus', 2 * maxFollowsWithoutWatermark)
  await fleet.pool.query('vacuum analyze')
  const page = { limit: 21, offset: 0, after: undefined }
  const { rowsOf } = await explainStatements(fleet.pool, (on) => readFollowedThreads(on, 'gus', [roomId], page))
  expect(rowsOf).toMatchObject({ thread_markers: page.limit })
})

test('HasUnread settles nothing for a user with few follows', async () => {
  const { roomId } = await fleet.room().channel(['dan', 'bob'])
  await addReadThreads(roomId, 'dan', maxFollowsWithoutWatermark)
  await threadsUnread('dan')
  expect(await settledOf('dan')).toBe(0)
})

test('of two concurrent runs, the later unsettles a thread with a new reply', async () => {
  const { roomId } = await fleet.room().channel(['eve', 'bob'])
  const root = await post('bob', roomId)
  await post('bob', roomId, root)
  await fleet.as('eve').threads.followThread({ roomId, threadRootEventId: root })
  await fleet.as('eve').threads.markThreadAsRead({ roomId, threadRootEventId: root })
  const [first, second] = [await fleet.pool.connect(), await fleet.pool.connect()]
  try {
    await first.query('begin')
    await settleFollows(first, 'eve', [roomId])
    await post('bob', roomId, root)
    const pid = Number((await second.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid)
    const settling = settleFollows(second, 'eve', [roomId])
    await eventually(async () => {
      const waiting = 'select from pg_stat_activity where pid = $1 and wait_event_type = $2'
      return (await fleet.pool.query(waiting, [pid, 'Lock'])).rowCount === 1
    })
    await first.query('commit')
    await settling
  } finally {
    first.release(true)
    second.release(true)
  }
  expect([await settledOf('eve'), await threadsUnread('eve')]).toEqual([0, true])
})

/** Settled threads that break the invariant of the table `thread_watermarks`, see schema.ts. */
const violations = `select f.root_event_id from thread_follows f
  left join thread_watermarks w on w.user_id = f.user_id and w.room_id = f.room_id
  left join thread_markers r on r.room_id = f.room_id and r.root_event_id = f.root_event_id and r.user_id = f.user_id
where f.room_id = $1 and f.settled and (w.seq is null or exists (
  select from room_events e
  where e.room_id = f.room_id and e.thread_root_event_id = f.root_event_id and e.deleted_at is null
    and e.seq <= w.seq and e.seq > coalesce(r.seq, 0)
))`

const unreadReaders = `select distinct f.user_id as "userId" from thread_follows f
  join threads t on t.room_id = f.room_id and t.root_event_id = f.root_event_id
  left join thread_markers r on r.room_id = f.room_id and r.root_event_id = f.root_event_id and r.user_id = f.user_id
where f.room_id = $1 and f.following and t.last_reply_seq > coalesce(r.seq, 0)`

let runs = 0

test('watermarks agree with replies and markers after concurrent changes', async () => {
  const [user, thread] = [fc.nat({ max: 1 }), fc.nat({ max: 2 })]
  const kind = fc.constantFrom('reply', 'retract', 'follow', 'unfollow', 'read', 'settle', 'settle')
  const rounds = fc.array(fc.array(fc.record({ kind, user, thread }), { minLength: 2, maxLength: 8 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(rounds, async (rounds) => {
      const ids = [`u${++runs}`, `v${runs}`]
      const { roomId } = await fleet.room().channel([...ids, 'bob'])
      const threads = await Promise.all([0, 1, 2].map(() => post('bob', roomId)))
      const replies: { eventId: string; userId: string }[] = []
      for (const round of rounds)
        await Promise.all(
          round.map(async ({ kind, user, thread }) => {
            const userId = ids[user] ?? ''
            const [{ messages, threads: reading }, threadRootEventId] = [fleet.as(userId), threads[thread] ?? '']
            if (kind === 'reply') {
              replies.push({ userId, eventId: await post(userId, roomId, threadRootEventId) })
            } else if (kind === 'retract') {
              const own = replies.findIndex((reply) => reply.userId === userId)
              for (const { eventId } of own < 0 ? [] : replies.splice(own, 1))
                await messages.deleteMessage({ roomId, eventId })
            } else if (kind === 'follow') await reading.followThread({ roomId, threadRootEventId })
            else if (kind === 'unfollow') await reading.unfollowThread({ roomId, threadRootEventId })
            else if (kind === 'read') await reading.markThreadAsRead({ roomId, threadRootEventId })
            else await settleFollows(fleet.pool, userId, [roomId])
          }),
        )
      expect((await fleet.pool.query(violations, [roomId])).rows).toEqual([])
      const { rows } = await fleet.pool.query<{ userId: string }>(unreadReaders, [roomId])
      const found = await Promise.all(ids.map(threadsUnread))
      expect(ids.filter((_, n) => found[n])).toEqual(ids.filter((id) => rows.some(({ userId }) => userId === id)))
    }),
    { numRuns: 60 },
  )
})
